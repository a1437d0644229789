#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    assert_eq!(gp_cli::fuzzing::likelihood(&gp_cli::Context::built_in(), bytes).err(), None);
});
