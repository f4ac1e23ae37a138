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
	VMAXPD       Y6, Y2, Y6         \ // NaN stays NaN
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

// Coefficients of the logarithm of (1+s)/(1−s) in powers of s², from the seventh (FreeBSD's e_log.c).
DATA lnSeries<>+0(SB)/8, $1.479819860511658591e-01
DATA lnSeries<>+8(SB)/8, $1.531383769920937332e-01
DATA lnSeries<>+16(SB)/8, $1.818357216161805012e-01
DATA lnSeries<>+24(SB)/8, $2.222219843214978396e-01
DATA lnSeries<>+32(SB)/8, $2.857142874366239149e-01
DATA lnSeries<>+40(SB)/8, $3.999999999940941908e-01
DATA lnSeries<>+48(SB)/8, $6.666666666666735130e-01
GLOBL lnSeries<>(SB), RODATA, $56
DATA root<>(SB)/8, $0x3fe6a09e667f3bcd // √½
GLOBL root<>(SB), RODATA, $8
DATA overRoot<>(SB)/8, $0x00095f619980c433 // bits of 1 less those of √½
GLOBL overRoot<>(SB), RODATA, $8
DATA mantissa<>(SB)/8, $0x000fffffffffffff
GLOBL mantissa<>(SB), RODATA, $8
DATA whole<>(SB)/8, $0x4330000000000000 // 2⁵²: an integer in its last bits is added
GLOBL whole<>(SB), RODATA, $8
DATA bias<>(SB)/8, $4503599627371519.0 // 2⁵² + 1023
GLOBL bias<>(SB), RODATA, $8
DATA half<>(SB)/8, $0.5
GLOBL half<>(SB), RODATA, $8

// One step of Horner's scheme for the logarithm.
#define LNHORNER(I) \
	VBROADCASTSD lnSeries<>+I(SB), Y9 \
	VFMADD213PD  Y9, Y5, Y6

// Y0 = ln(Y4) of positive numbers; NaN stays NaN; Y1, Y3 and Y5 to Y9 are lost, Y14 is 1. Y4 is 2 to the power of k
// times 1 + f, from √½ to √2, and s = f / (2 + f).
#define LN \
	VPBROADCASTQ overRoot<>(SB), Y9   \
	VPADDQ       Y9, Y4, Y0           \
	VPSRLQ       $52, Y0, Y1          \
	VPBROADCASTQ whole<>(SB), Y9      \
	VPOR         Y9, Y1, Y1           \
	VBROADCASTSD bias<>(SB), Y9       \
	VSUBPD       Y9, Y1, Y1           \ // k
	VPBROADCASTQ mantissa<>(SB), Y9   \
	VPAND        Y9, Y0, Y0           \
	VPBROADCASTQ root<>(SB), Y9       \
	VPADDQ       Y9, Y0, Y0           \
	VADDPD       Y14, Y0, Y3          \
	VSUBPD       Y14, Y0, Y0          \ // f
	VDIVPD       Y3, Y0, Y3           \ // s
	VMULPD       Y3, Y3, Y5           \
	VBROADCASTSD lnSeries<>+0(SB), Y6 \
	LNHORNER(8)                       \
	LNHORNER(16)                      \
	LNHORNER(24)                      \
	LNHORNER(32)                      \
	LNHORNER(40)                      \
	LNHORNER(48)                      \
	VMULPD       Y5, Y6, Y6           \ // R
	VBROADCASTSD half<>(SB), Y9       \
	VMULPD       Y0, Y0, Y7           \
	VMULPD       Y9, Y7, Y7           \ // f²/2
	VADDPD       Y7, Y6, Y6           \
	VMULPD       Y3, Y6, Y6           \ // s (f²/2 + R)
	VFMADD231PD  Y10, Y1, Y6          \
	VSUBPD       Y6, Y7, Y7           \
	VSUBPD       Y0, Y7, Y7           \
	VMULPD       Y11, Y1, Y1          \
	VSUBPD       Y7, Y1, Y0           \ // k ln 2 − (f²/2 − s (f²/2 + R) − f)
	VXORPD       Y8, Y8, Y8           \
	VFMADD231PD  Y8, Y4, Y0

// func softMaxAVX2(shares *Lanes, theta *float64, logs *Lanes, n int, p float64, most, mean *Lanes)
TEXT ·softMaxAVX2(SB), NOSPLIT, $0-56
	MOVQ         shares+0(FP), DI
	MOVQ         logs+16(FP), DX
	MOVQ         most+40(FP), R11
	MOVQ         mean+48(FP), R12
	VBROADCASTSD series<>+96(SB), Y14 // 1
	VBROADCASTSD p+32(FP), Y15
	CONSTANTS
	MOVQ         $4, R9

column:
	MOVQ         theta+8(FP), SI
	MOVQ         n+24(FP), CX
	MOVQ         DX, R8
	VBROADCASTSD (SI), Y13
	VADDPD       (R8), Y13, Y13
	JMP          higher

highest:
	VBROADCASTSD (SI), Y6
	VADDPD       (R8), Y6, Y6
	VMAXPD       Y6, Y13, Y13

higher:
	ADDQ    $8, SI
	ADDQ    $128, R8
	DECQ    CX
	JNZ     highest
	MOVQ    theta+8(FP), SI
	MOVQ    n+24(FP), CX
	MOVQ    DX, R8
	MOVQ    DI, R10
	VXORPD  Y4, Y4, Y4

term:
	VBROADCASTSD (SI), Y6
	VADDPD       (R8), Y6, Y6
	VSUBPD       Y13, Y6, Y6
	VMULPD       Y15, Y6, Y6
	EXP
	VMOVUPD      Y8, (R10)
	VADDPD       Y8, Y4, Y4
	ADDQ         $8, SI
	ADDQ         $128, R8
	ADDQ         $128, R10
	DECQ         CX
	JNZ          term
	LN
	VDIVPD       Y15, Y0, Y0
	VADDPD       Y13, Y0, Y0
	VMOVUPD      Y0, (R11)
	MOVQ         theta+8(FP), SI
	MOVQ         n+24(FP), CX
	MOVQ         DX, R8
	MOVQ         DI, R10
	VXORPD       Y5, Y5, Y5

share:
	VBROADCASTSD (SI), Y6
	VADDPD       (R8), Y6, Y6
	VMOVUPD      (R10), Y8
	VDIVPD       Y4, Y8, Y8
	VMOVUPD      Y8, (R10)
	VMULPD       Y8, Y6, Y6
	VADDPD       Y6, Y5, Y5
	ADDQ         $8, SI
	ADDQ         $128, R8
	ADDQ         $128, R10
	DECQ         CX
	JNZ          share
	VMOVUPD      Y5, (R12)
	ADDQ         $32, DI
	ADDQ         $32, DX
	ADDQ         $32, R11
	ADDQ         $32, R12
	DECQ         R9
	JNZ          column
	VZEROUPPER
	RET

// func solveAVX2(l *float64, n, from, to int, b, squares *Lanes)
TEXT ·solveAVX2(SB), NOSPLIT, $0-48
	MOVQ   l+0(FP), SI
	MOVQ   n+8(FP), R12
	MOVQ   from+16(FP), R11 // the number of the row that is solved
	MOVQ   to+24(FP), R9
	MOVQ   b+32(FP), DI
	SHLQ   $3, R12  // bytes of a row of l
	MOVQ   R11, R10
	SHLQ   $7, R10
	ADDQ   DI, R10  // the row of b
	MOVQ   R11, AX
	IMULQ  R12, AX
	ADDQ   AX, SI   // the row of l
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
	VXORPD Y12, Y12, Y12
	VXORPD Y13, Y13, Y13
	MOVQ   $0x3ff0000000000000, AX
	VMOVQ  AX, X15 // 1

row:
	MOVQ   SI, R8
	MOVQ   DI, DX
	MOVQ   R11, CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ   $2, CX
	JLT    odd

two:
	VBROADCASTSD (R8), Y8
	VBROADCASTSD 8(R8), Y9
	VFMADD231PD  (DX), Y8, Y0
	VFMADD231PD  32(DX), Y8, Y1
	VFMADD231PD  64(DX), Y8, Y2
	VFMADD231PD  96(DX), Y8, Y3
	VFMADD231PD  128(DX), Y9, Y4
	VFMADD231PD  160(DX), Y9, Y5
	VFMADD231PD  192(DX), Y9, Y6
	VFMADD231PD  224(DX), Y9, Y7
	ADDQ         $16, R8
	ADDQ         $256, DX
	SUBQ         $2, CX
	JGE          two

odd:
	ADDQ         $2, CX
	JZ           divide
	VBROADCASTSD (R8), Y8
	VFMADD231PD  (DX), Y8, Y0
	VFMADD231PD  32(DX), Y8, Y1
	VFMADD231PD  64(DX), Y8, Y2
	VFMADD231PD  96(DX), Y8, Y3
	ADDQ         $8, R8

divide:
	VDIVSD       (R8), X15, X8
	VBROADCASTSD X8, Y8
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	VADDPD       Y6, Y2, Y2
	VADDPD       Y7, Y3, Y3
	VMOVUPD      (R10), Y4
	VMOVUPD      32(R10), Y5
	VMOVUPD      64(R10), Y6
	VMOVUPD      96(R10), Y7
	VSUBPD       Y0, Y4, Y4
	VSUBPD       Y1, Y5, Y5
	VSUBPD       Y2, Y6, Y6
	VSUBPD       Y3, Y7, Y7
	VMULPD       Y8, Y4, Y4
	VMULPD       Y8, Y5, Y5
	VMULPD       Y8, Y6, Y6
	VMULPD       Y8, Y7, Y7
	VMOVUPD      Y4, (R10)
	VMOVUPD      Y5, 32(R10)
	VMOVUPD      Y6, 64(R10)
	VMOVUPD      Y7, 96(R10)
	VFMADD231PD  Y4, Y4, Y10
	VFMADD231PD  Y5, Y5, Y11
	VFMADD231PD  Y6, Y6, Y12
	VFMADD231PD  Y7, Y7, Y13
	ADDQ         R12, SI
	ADDQ         $128, R10
	INCQ         R11
	CMPQ         R11, R9
	JLT          row
	MOVQ         squares+40(FP), DI
	VMOVUPD      Y10, (DI)
	VMOVUPD      Y11, 32(DI)
	VMOVUPD      Y12, 64(DI)
	VMOVUPD      Y13, 96(DI)
	VZEROUPPER
	RET
