//! Conformance kit with measured times.

use gp_likelihoods::testkit::LikelihoodKit;
use seismic_likelihood::Seismic;

#[test]
fn the_seismic_likelihood_conforms() {
    // First two and last rows of the survey.
    let times = vec![
        vec![0.186_94, 0.550_36, 1.212_88, 1.546_46],
        vec![0.186_91, 0.548_81, 1.215_09, 1.550_79],
        vec![0.201_76, 0.315_17, 0.961_75, 1.215_93],
    ];
    let kit = LikelihoodKit::new().with(Seismic::entry()).observing(times);
    kit.check(&Seismic).unwrap_or_else(|failures| panic!("{failures}"));
}
