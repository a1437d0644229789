//! Prints the data of `gp demo`:
//!
//! ```sh
//! cargo run -p gp-cli --example generate_demo_data > gp-cli/data/demo.csv
//! ```

mod curve;

fn main() {
    print!("{}", curve::csv());
}
