#include "textflag.h"

// Four modes share a register; the sixteen of a call take four.

DATA sqrt5<>(SB)/8, $2.23606797749978969641
GLOBL sqrt5<>(SB), RODATA, $8
DATA fiveThirds<>(SB)/8, $1.66666666666666666667
GLOBL fiveThirds<>(SB), RODATA, $8
DATA log2e<>(SB)/8, $1.44269504088896340736
GLOBL log2e<>(SB), RODATA, $8
DATA ln2hi<>(SB)/8, $6.93147180369123816490e-01
GLOBL ln2hi<>(SB), RODATA, $8
DATA ln2lo<>(SB)/8, $1.90821492927058770002e-10
GLOBL ln2lo<>(SB), RODATA, $8
DATA least<>(SB)/8, $-700.0 // its exp is nothing
GLOBL least<>(SB), RODATA, $8

// Coefficients of the Taylor series of exp, from the twelfth: |r| is at most ln 2 / 2.
DATA series<>+0(SB)/8, $2.08767569878681001866e-09 // 1/12!
DATA series<>+8(SB)/8, $2.50521083854417202239e-08 // 1/11!
DATA series<>+16(SB)/8, $2.75573192239858882758e-07 // 1/10!
DATA series<>+24(SB)/8, $2.75573192239858925110e-06 // 1/9!
DATA series<>+32(SB)/8, $2.48015873015873015658e-05 // 1/8!
DATA series<>+40(SB)/8, $1.98412698412698412526e-04 // 1/7!
DATA series<>+48(SB)/8, $1.38888888888888894189e-03 // 1/6!
DATA series<>+56(SB)/8, $8.33333333333333321769e-03 // 1/5!
DATA series<>+64(SB)/8, $4.16666666666666643537e-02 // 1/4!
DATA series<>+72(SB)/8, $1.66666666666666657415e-01 // 1/3!
DATA series<>+80(SB)/8, $5.00000000000000000000e-01 // 1/2!
DATA series<>+88(SB)/8, $1.00000000000000000000e+00 // 1/1!
DATA series<>+96(SB)/8, $1.00000000000000000000e+00 // 1/0!
GLOBL series<>(SB), RODATA, $104

// func dotAVX2(sum *Lanes, a *float64, b *Lanes, n int)
TEXT ·dotAVX2(SB), NOSPLIT, $0-32
	MOVQ   sum+0(FP), DI
	MOVQ   a+8(FP), SI
	MOVQ   b+16(FP), DX
	MOVQ   n+24(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ   $2, CX
	JLT    last

pair:
	VBROADCASTSD (SI), Y8
	VBROADCASTSD 8(SI), Y9
	VFMADD231PD  (DX), Y8, Y0
	VFMADD231PD  32(DX), Y8, Y1
	VFMADD231PD  64(DX), Y8, Y2
	VFMADD231PD  96(DX), Y8, Y3
	VFMADD231PD  128(DX), Y9, Y4
	VFMADD231PD  160(DX), Y9, Y5
	VFMADD231PD  192(DX), Y9, Y6
	VFMADD231PD  224(DX), Y9, Y7
	ADDQ         $16, SI
	ADDQ         $256, DX
	SUBQ         $2, CX
	JGE          pair

last:
	ADDQ         $2, CX
	JZ           done
	VBROADCASTSD (SI), Y8
	VFMADD231PD  (DX), Y8, Y0
	VFMADD231PD  32(DX), Y8, Y1
	VFMADD231PD  64(DX), Y8, Y2
	VFMADD231PD  96(DX), Y8, Y3

done:
	VADDPD  Y4, Y0, Y0
	VADDPD  Y5, Y1, Y1
	VADDPD  Y6, Y2, Y2
	VADDPD  Y7, Y3, Y3
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VZEROUPPER
	RET

// Adds the square of one coordinate's distance to Y4: X is its place in a sample, in bytes, Y that of the modes.
#define SQUARE(X, Y) \
	VBROADCASTSD X(SI), Y5    \
	VSUBPD       Y(R8), Y5, Y5 \
	VFMADD231PD  Y5, Y5, Y4

// One step of Horner's scheme.
#define HORNER(I) \
	VBROADCASTSD series<>+I(SB), Y9 \
	VFMADD213PD  Y9, Y6, Y8

// Y8 = exp(Y6) for values of at most 0; Y6 and Y7 are lost.
#define EXP \
	VMAXPD       Y2, Y6, Y6         \
	VMULPD       Y12, Y6, Y7        \
	VROUNDPD     $8, Y7, Y7         \ // k = Y6 / ln 2, rounded
	VFNMADD231PD Y11, Y7, Y6        \
	VFNMADD231PD Y10, Y7, Y6        \ // Y6 less k ln 2
	VBROADCASTSD series<>+0(SB), Y8 \
	HORNER(8)                       \
	HORNER(16)                      \
	HORNER(24)                      \
	HORNER(32)                      \
	HORNER(40)                      \
	HORNER(48)                      \
	HORNER(56)                      \
	HORNER(64)                      \
	HORNER(72)                      \
	HORNER(80)                      \
	HORNER(88)                      \
	HORNER(96)                      \
	VCVTPD2DQY   Y7, X7             \
	VPMOVSXDQ    X7, Y7             \
	VPSLLQ       $52, Y7, Y7        \
	VPADDQ       Y7, Y8, Y8           // times 2 to the power of k

// The constants of EXP.
#define CONSTANTS \
	VBROADCASTSD log2e<>(SB), Y12 \
	VBROADCASTSD ln2hi<>(SB), Y11 \
	VBROADCASTSD ln2lo<>(SB), Y10 \
	VBROADCASTSD least<>(SB), Y2

// func maternAVX2(out *Lanes, samples *[Dims]float64, n int, modes *Points, variance float64)
TEXT ·maternAVX2(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         samples+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVQ         modes+24(FP), DX
	VBROADCASTSD variance+32(FP), Y15
	VBROADCASTSD sqrt5<>(SB), Y14
	VBROADCASTSD fiveThirds<>(SB), Y13
	VBROADCASTSD series<>+96(SB), Y3 // 1
	CONSTANTS

sample:
	MOVQ DX, R8
	MOVQ $4, R9

four:
	VXORPD Y4, Y4, Y4
	SQUARE(0, 0)
	SQUARE(8, 128)
	SQUARE(16, 256)
	SQUARE(24, 384)
	SQUARE(32, 512)
	VSQRTPD      Y4, Y5
	VMULPD       Y14, Y5, Y5     // z = √5 r
	VADDPD       Y3, Y5, Y1
	VFMADD231PD  Y13, Y4, Y1     // 1 + z + 5/3 r²
	VXORPD       Y6, Y6, Y6
	VSUBPD       Y5, Y6, Y6
	EXP
	VMULPD       Y1, Y8, Y8
	VMULPD       Y15, Y8, Y8
	VMOVUPD      Y8, (DI)
	ADDQ         $32, DI
	ADDQ         $32, R8
	DECQ         R9
	JNZ          four
	ADDQ         $40, SI
	DECQ         CX
	JNZ          sample
	VZEROUPPER
	RET

// func expAVX2(x *Lanes, n int)
TEXT ·expAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	SHLQ $2, CX
	CONSTANTS

next:
	VMOVUPD (DI), Y6
	EXP
	VMOVUPD Y8, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     next
	VZEROUPPER
	RET
