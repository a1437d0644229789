//! The likelihood keeps what every likelihood has to keep.

use gp_likelihoods::testkit::{LikelihoodKit, LikelihoodFailures};
use my_likelihood::Flipped;

#[test]
fn it_conforms() -> Result<(), LikelihoodFailures> {
    let kit = LikelihoodKit::new().with(Flipped::entry());
    // With values off the defaults.
    kit.check(&Flipped::new(0.12).expect("a share between 0 and 1/2"))
}
