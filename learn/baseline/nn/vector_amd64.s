#include "textflag.h"

// Eight weights share a register. The lengths n are multiples of eight above zero.

// func addRowsAVX2(z, r0, r1, r2, r3 *float32, val *[4]float32, n int)
TEXT ·addRowsAVX2(SB), NOSPLIT, $0-56
	MOVQ         z+0(FP), DI
	MOVQ         r0+8(FP), R8
	MOVQ         r1+16(FP), R9
	MOVQ         r2+24(FP), R10
	MOVQ         r3+32(FP), R11
	MOVQ         val+40(FP), DX
	MOVQ         n+48(FP), CX
	VBROADCASTSS (DX), Y0
	VBROADCASTSS 4(DX), Y1
	VBROADCASTSS 8(DX), Y2
	VBROADCASTSS 12(DX), Y3
	XORQ         AX, AX

add:
	VMOVUPS     (DI)(AX*4), Y4
	VMULPS      (R8)(AX*4), Y0, Y5
	VFMADD231PS (R9)(AX*4), Y1, Y4
	VFMADD231PS (R10)(AX*4), Y2, Y5
	VFMADD231PS (R11)(AX*4), Y3, Y4
	VADDPS      Y5, Y4, Y4
	VMOVUPS     Y4, (DI)(AX*4)
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         add
	VZEROUPPER
	RET

// Adds Y4 times a value to eight numbers of a row.
#define SPREAD(V, R) \
	VMOVUPS     (R)(AX*4), Y5 \
	VFMADD231PS Y4, V, Y5     \
	VMOVUPS     Y5, (R)(AX*4)

// func spreadAVX2(r0, r1, r2, r3, d *float32, val *[4]float32, n int)
TEXT ·spreadAVX2(SB), NOSPLIT, $0-56
	MOVQ         r0+0(FP), R8
	MOVQ         r1+8(FP), R9
	MOVQ         r2+16(FP), R10
	MOVQ         r3+24(FP), R11
	MOVQ         d+32(FP), SI
	MOVQ         val+40(FP), DX
	MOVQ         n+48(FP), CX
	VBROADCASTSS (DX), Y0
	VBROADCASTSS 4(DX), Y1
	VBROADCASTSS 8(DX), Y2
	VBROADCASTSS 12(DX), Y3
	XORQ         AX, AX

eight:
	VMOVUPS (SI)(AX*4), Y4
	SPREAD(Y0, R8)
	SPREAD(Y1, R9)
	SPREAD(Y2, R10)
	SPREAD(Y3, R11)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     eight
	VZEROUPPER
	RET

// func productsAVX2(sum *[4]float32, r0, r1, r2, r3, d *float32, n int)
TEXT ·productsAVX2(SB), NOSPLIT, $0-56
	MOVQ   sum+0(FP), DI
	MOVQ   r0+8(FP), R8
	MOVQ   r1+16(FP), R9
	MOVQ   r2+24(FP), R10
	MOVQ   r3+32(FP), R11
	MOVQ   d+40(FP), SI
	MOVQ   n+48(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ   AX, AX

times:
	VMOVUPS     (SI)(AX*4), Y4
	VFMADD231PS (R8)(AX*4), Y4, Y0
	VFMADD231PS (R9)(AX*4), Y4, Y1
	VFMADD231PS (R10)(AX*4), Y4, Y2
	VFMADD231PS (R11)(AX*4), Y4, Y3
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         times

	VHADDPS      Y1, Y0, Y0 // sums of neighbours: two of r0 and two of r1 in each half
	VHADDPS      Y3, Y2, Y2
	VHADDPS      Y2, Y0, Y0 // one of each row in each half
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VMOVUPS      X0, (DI)
	VZEROUPPER
	RET

DATA beta1<>(SB)/4, $0.9
GLOBL beta1<>(SB), RODATA, $4
DATA rest1<>(SB)/4, $0.1
GLOBL rest1<>(SB), RODATA, $4
DATA beta2<>(SB)/4, $0.999
GLOBL beta2<>(SB), RODATA, $4
DATA rest2<>(SB)/4, $0.001
GLOBL rest2<>(SB), RODATA, $4
DATA epsilon<>(SB)/4, $1e-7
GLOBL epsilon<>(SB), RODATA, $4
DATA tiny<>(SB)/4, $1e-30
GLOBL tiny<>(SB), RODATA, $4
DATA size<>(SB)/4, $0x7fffffff // all but the sign
GLOBL size<>(SB), RODATA, $4

// func adamAVX2(w, m, v, grad *float32, n int, rate float32)
// It multiplies and adds apart, as Go does on amd64.
TEXT ·adamAVX2(SB), NOSPLIT, $0-44
	MOVQ         w+0(FP), DI
	MOVQ         m+8(FP), R8
	MOVQ         v+16(FP), R9
	MOVQ         grad+24(FP), R10
	MOVQ         n+32(FP), CX
	VBROADCASTSS rate+40(FP), Y15
	VBROADCASTSS beta1<>(SB), Y14
	VBROADCASTSS rest1<>(SB), Y13
	VBROADCASTSS beta2<>(SB), Y12
	VBROADCASTSS rest2<>(SB), Y11
	VBROADCASTSS epsilon<>(SB), Y10
	VBROADCASTSS tiny<>(SB), Y9
	VBROADCASTSS size<>(SB), Y8
	VXORPS       Y7, Y7, Y7
	XORQ         AX, AX

step:
	VMOVUPS (R10)(AX*4), Y0
	VMOVUPS Y7, (R10)(AX*4)
	VMULPS  (R8)(AX*4), Y14, Y1
	VMULPS  Y0, Y13, Y2
	VADDPS  Y2, Y1, Y1
	VANDPS  Y8, Y1, Y2
	VCMPPS  $5, Y9, Y2, Y2      // not below tiny, or not a number
	VANDPS  Y2, Y1, Y1
	VMOVUPS Y1, (R8)(AX*4)
	VMULPS  Y0, Y0, Y0
	VMULPS  Y0, Y11, Y0
	VMULPS  (R9)(AX*4), Y12, Y2
	VADDPS  Y0, Y2, Y2
	VMOVUPS Y2, (R9)(AX*4)
	VSQRTPS Y2, Y2
	VADDPS  Y10, Y2, Y2
	VMULPS  Y1, Y15, Y1
	VDIVPS  Y2, Y1, Y1
	VMOVUPS (DI)(AX*4), Y2
	VSUBPS  Y1, Y2, Y2
	VMOVUPS Y2, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     step
	VZEROUPPER
	RET
