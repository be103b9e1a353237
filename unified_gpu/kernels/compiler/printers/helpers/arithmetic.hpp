// Python's and NumPy's arithmetic where C's is another.
template <class T> struct k_wide { typedef unsigned type; };
template <> struct k_wide<long long> { typedef unsigned long long type; };
template <> struct k_wide<unsigned long long> { typedef unsigned long long type; };
template <class T, class U> DEVICE T k_bits(U x) {
    union { U from; T to; } both;
    both.from = x;
    return both.to;
}
template <class T> DEVICE T k_negative(T a) { return (T)(0 - (typename k_wide<T>::type)a); }
template <class T> DEVICE T k_floor_div(T a, T b) {
    if (b == 0) return 0;
    if (b == -1) return k_negative(a);
    return a / b - (a % b != 0 && (a ^ b) < 0);
}
template <class T> DEVICE T k_floor_mod(T a, T b) {
    if (b == 0 || b == -1) return 0;
    T rest = a % b;
    return rest + (rest != 0 && (rest ^ b) < 0 ? b : 0);
}
template <class T> DEVICE T k_unsigned_div(T a, T b) { return b == 0 ? 0 : a / b; }
template <class T> DEVICE T k_unsigned_mod(T a, T b) { return b == 0 ? 0 : a % b; }
template <class T> DEVICE T k_float_mod(T a, T b) {
    if (b == 0) return K_NAN;
    T rest = K_MOD(a, b);
    if (rest != 0) return (b < 0) != (rest < 0) ? rest + b : rest;
    return K_SIGN((T)0, b);
}
template <class T> DEVICE T k_float_div(T a, T b) {
    if (b == 0) return a / b;
    T rest = K_MOD(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return K_SIGN((T)0, a / b);
    T whole = K_FLOOR(quotient);
    return quotient - whole > (T)0.5 ? whole + 1 : whole;
}
template <class T> DEVICE T k_left(T a, T b) {
    return (unsigned long long)b < 8 * sizeof(T) ? (T)((typename k_wide<T>::type)a << b) : (T)0;
}
template <class T> DEVICE T k_right(T a, T b) {
    return (unsigned long long)b < 8 * sizeof(T) ? (T)(a >> b) : a < 0 ? (T)-1 : (T)0;
}
template <class T> DEVICE T k_min(T a, T b) { return b < a ? b : a; }
template <class T> DEVICE T k_max(T a, T b) { return a < b ? b : a; }
template <class T> DEVICE T k_abs(T a) { return a < 0 ? k_negative(a) : a; }
template <class T> DEVICE T k_power(T a, int n) {
    typename k_wide<T>::type result = 1;
    for (; n > 0; --n) result *= (typename k_wide<T>::type)a;
    return (T)result;
}
template <class T> DEVICE T k_square(T a) { return (T)((typename k_wide<T>::type)a * (typename k_wide<T>::type)a); }
DEVICE float k_square(float a) { return a * a; }
DEVICE double k_square(double a) { return a * a; }
template <class T> DEVICE T k_sum(T a, T b) { return (T)((typename k_wide<T>::type)a + (typename k_wide<T>::type)b); }
DEVICE float k_sum(float a, float b) { return a + b; }
DEVICE double k_sum(double a, double b) { return a + b; }
// GCC 12 makes -b of 0.0 - b where it sees that b is a whole number or an `abs`: it does not see that here.
template <class T> DEVICE T k_minus(T a, T b) { return a - b; }
// It also makes trunc(x), which may be -0.0, of a fraction that becomes a whole number and a fraction again.
template <class T, class N> DEVICE T k_of_whole(N number) {
    const T x = (T)number;
    return x + (T)0;
}
