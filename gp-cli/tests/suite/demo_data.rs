//! Bundled data equal their generator's output.

#[path = "../../examples/generate_demo_data/curve.rs"]
mod curve;

#[test]
fn the_committed_file_is_the_generated_one() {
    assert_eq!(curve::csv(), include_str!("../../data/demo.csv"));
}
