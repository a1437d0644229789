#![expect(clippy::panic, reason = "a test that fails should stop at once")]
//! Likelihoods of several factors: external, classes, planted faults.

use gp_likelihoods::special::{HALF_LN_TAU, standard_normal_cdf};
use gp_likelihoods::testkit::LikelihoodKit;
use gp_likelihoods::{
    BernoulliProbit, Density, Described, Gaussian, Latent, LatentDerivatives, Likelihood, LikelihoodEntry,
    LikelihoodError, MulticlassProbit, ObservationMoments, PairwiseProbit, Pieces, Scalar, StudentT, Support,
    Workspace,
};
use gp_optim::Parameter;
use rand::Rng;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    Touched,
    LatentDerivatives,
    Product,
    Parameters,
}

/// Heavy-tailed `y_0 = f_0`, trained; `y_1 = f_0 + f_1`, unit Gaussian noise.
#[derive(Clone, Debug)]
struct Sighting {
    direct: StudentT,
    fault: Fault,
}

impl Sighting {
    fn new(fault: Fault) -> Result<Self, LikelihoodError> {
        Ok(Self { direct: StudentT::new(0.4, 6.0)?, fault })
    }

    fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("sighting", "two readings", |_| Ok(Box::new(Self::new(Fault::None)?)))
    }
}

impl Described for Sighting {
    fn name(&self) -> &'static str {
        "sighting"
    }
    fn parameters(&self) -> &[Parameter] {
        self.direct.parameters()
    }
    fn parameters_mut(&mut self) -> &mut [Parameter] {
        self.direct.parameters_mut()
    }
    fn latents(&self) -> usize {
        2
    }
    fn outputs(&self) -> usize {
        2
    }
    fn support(&self) -> Support {
        Support::Real
    }
    fn pieces(&self) -> Option<&dyn Pieces> {
        Some(self)
    }
}

impl Pieces for Sighting {
    fn piece_count(&self) -> usize {
        2
    }
    fn touched_count(&self, piece: usize) -> usize {
        piece + 1
    }
    fn touched_latent(&self, _y: &[f64], _piece: usize, slot: usize) -> usize {
        if self.fault == Fault::Touched { slot + 1 } else { slot }
    }
    fn tilted_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        if piece == 0 {
            self.direct.tilted(&y[..1], q, power, ws, out)?;
        } else {
            Likelihood::tilted(&Gaussian::new(1.0)?, &y[1..], &[sum(q)?], power, ws, out)?;
            self.of_both(out);
        }
        Ok(())
    }
    fn expected_piece(
        &self,
        y: &[f64],
        piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        if piece == 0 {
            self.direct.expected_log_density(&y[..1], q, ws, out)?;
        } else {
            Likelihood::expected_log_density(&Gaussian::new(1.0)?, &y[1..], &[sum(q)?], ws, out)?;
            self.of_both(out);
        }
        Ok(())
    }
}

fn sum(q: &[Latent]) -> Result<Latent, LikelihoodError> {
    Latent::new(q[0].mean() + q[1].mean(), q[0].variance() + q[1].variance())
}

impl Sighting {
    fn of_both(&self, out: &mut LatentDerivatives) {
        out.by_mean.push(if self.fault == Fault::LatentDerivatives { 0.0 } else { out.by_mean[0] });
        out.by_variance.push(out.by_variance[0]);
        let params = if self.fault == Fault::Parameters { 1 } else { self.parameters().len() };
        out.by_params.clear();
        out.by_params.resize(params, 0.0);
        out.value += if self.fault == Fault::Product { 1e-3 } else { 0.0 };
    }
}

impl Density for Sighting {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let r = f(0) + f(1) - y[1];
        self.direct.log_p(&y[..1], |_| f(0), theta) - r * r * 0.5 - HALF_LN_TAU
    }
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        self.direct.moments_given(&f[..1], &mut out[..1]);
        out[1] = ObservationMoments { mean: f[0] + f[1], variance: 1.0 };
    }
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
        if output == 0 { self.direct.cdf_given(0, y, &f[..1]) } else { standard_normal_cdf(y - f[0] - f[1]) }
    }
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        self.direct.sample_given(&f[..1], rng, &mut out[..1])?;
        Gaussian::new(1.0).ok()?.sample(&[f[0] + f[1]], rng, &mut out[1..]).ok()
    }
}

#[test]
fn a_likelihood_of_several_factors_from_outside_conforms() {
    let kit = LikelihoodKit::new().with(Sighting::entry());
    kit.check(&Sighting::new(Fault::None).unwrap()).unwrap_or_else(|failures| panic!("{failures}"));
}

#[test]
fn planted_faults_of_pieces_are_found() {
    for (fault, word) in [
        (Fault::Touched, "pieces [1] at y"),
        (Fault::LatentDerivatives, "derivative by mean 1 of piece 1"),
        (Fault::Product, "product of pieces"),
        (Fault::Parameters, "wrong numbers of derivatives of piece 1"),
    ] {
        let kit = LikelihoodKit::new().with(Sighting::entry());
        let failures = kit.check(&Sighting::new(fault).unwrap()).unwrap_err().to_string();
        assert!(failures.contains(word), "{fault:?}: {failures}");
    }
}

fn conforms(likelihood: &MulticlassProbit, build: gp_likelihoods::entry::Build) {
    let kit = LikelihoodKit::new().with(LikelihoodEntry::new("multiclass_probit", "", build));
    kit.check(likelihood).unwrap_or_else(|failures| panic!("{failures}"));
}

#[test]
fn classes_with_other_noise_conform() {
    conforms(&MulticlassProbit::with_noise(2, 0.6).unwrap(), |arguments| {
        Ok(Box::new(MulticlassProbit::with_noise(arguments.whole_number("classes", 2)?, 1.0)?))
    });
    conforms(&MulticlassProbit::of_difference(0.6).unwrap(), |arguments| {
        arguments.whole_number("classes", 2)?;
        Ok(Box::new(MulticlassProbit::of_difference(1.0)?))
    });
    conforms(&MulticlassProbit::with_noise(2, 0.6).unwrap().with_label_noise(0.1).unwrap(), |arguments| {
        let classes = arguments.whole_number("classes", 2)?;
        Ok(Box::new(MulticlassProbit::with_noise(classes, 1.0)?.with_label_noise(0.1)?))
    });
}

#[test]
fn pieces_of_classes_are_pairs_of_latents() {
    let pairs = MulticlassProbit::new(4).unwrap().in_pairs();
    let likelihood: &dyn Likelihood = &pairs;
    assert_eq!((likelihood.piece_count(), likelihood.touched_total()), (3, 6));
    assert_eq!(likelihood.touched_latents(&[2.0]).collect::<Vec<_>>(), [2, 0, 2, 1, 2, 3]);
    assert!(!likelihood.multiply_to_density());
    let q = [Latent::new(0.3, 0.8).unwrap(), Latent::new(-0.5, 0.3).unwrap()];
    let (mut ws, mut out) = (Workspace::new(), LatentDerivatives::default());
    likelihood.tilted_piece(&[2.0], 1, &q, 1.0, &mut ws, &mut out).unwrap();
    let pair = PairwiseProbit::new(2.0).unwrap().tilted(q[0], q[1]).unwrap();
    assert_eq!((out.value, out.by_mean), (pair.log_z, pair.by_mean.to_vec()));
    let whole = MulticlassProbit::new(4).unwrap();
    let likelihood: &dyn Likelihood = &whole;
    assert_eq!(likelihood.touched_latents(&[2.0]).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn a_difference_is_two_latents() {
    let (one, two) =
        (MulticlassProbit::of_difference(0.7).unwrap(), MulticlassProbit::with_noise(2, 0.7).unwrap());
    let (f, g) = (Latent::new(0.4, 0.9).unwrap(), Latent::new(-0.3, 0.5).unwrap());
    let difference = [Latent::new(-0.7, 1.4).unwrap()];
    let (mut ws, mut a, mut b) =
        (Workspace::new(), LatentDerivatives::default(), LatentDerivatives::default());
    for label in [0.0, 1.0] {
        one.tilted(&[label], &difference, 1.0, &mut ws, &mut a).unwrap();
        two.tilted(&[label], &[f, g], 1.0, &mut ws, &mut b).unwrap();
        assert!((a.value - b.value).abs() < 1e-14 && (a.by_params[0] - b.by_params[0]).abs() < 1e-14);
        let sign = 2.0 * label - 1.0;
        let scaled = [Latent::new(sign * -0.7 / 0.7f64.sqrt(), 1.4 / 0.7).unwrap()];
        let mut c = LatentDerivatives::default();
        BernoulliProbit.tilted(&[1.0], &scaled, 1.0, &mut ws, &mut c).unwrap();
        assert!((a.value - c.value).abs() < 1e-14);
    }
}
