// A program of Rust whose functions are watched (tests/probes.sh).
use std::hint::black_box;

pub mod planted {
    use std::hint::black_box;

    #[inline(never)]
    pub fn add(a: i32, b: u64) -> u64 {
        black_box(a as i64 as u64).wrapping_add(black_box(b))
    }

    #[inline(never)]
    pub fn unwinds(n: u32) -> u32 {
        if n % 2 == 1 {
            panic!("odd");
        }
        black_box(n)
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut sum = 0u64;
    let mut caught = 0;
    for i in 0..1000 {
        sum = sum.wrapping_add(planted::add(black_box(-i), 7));
    }
    for i in 0..10 {
        if std::panic::catch_unwind(|| planted::unwinds(black_box(i))).is_err() {
            caught += 1;
        }
    }
    println!("sum {} caught {}", sum, caught);
}
