/* SPDX-License-Identifier: Apache-2.0 */
/* The program that ends at once (process.c). */
int main(void) {
    return 0;
}
