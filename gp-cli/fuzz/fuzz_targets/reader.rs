//! libFuzzer target for the reader named by `GP_READER`.
#![no_main]

use gp_cli::fuzzing::Readers;
use std::sync::LazyLock;

const BUDGET: u64 = 64 << 20;

static READERS: LazyLock<(Readers, String)> = LazyLock::new(|| {
    let name = std::env::var("GP_READER").expect("GP_READER names a reader, such as csv");
    (Readers::new(BUDGET).expect("readers can be made"), name)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (readers, name) = &*READERS;
    assert_eq!(readers.read(name, bytes).err(), None);
});
