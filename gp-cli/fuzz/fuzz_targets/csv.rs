#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    assert_eq!(gp_cli::fuzzing::csv(&gp_cli::Context::built_in(), bytes).err(), None);
});
