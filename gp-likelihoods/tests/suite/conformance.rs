#![expect(clippy::unwrap_used, reason = "helpers of tests")]
//! Conformance kit on registered likelihoods and planted faults.

use gp_likelihoods::testkit::check;
use gp_likelihoods::{
    BernoulliProbit, Beta, Coregionalised, Density, Described, Gamma, Gaussian, Gaussians, Gprn, Latent,
    LatentDerivatives, Likelihood, MulticlassProbit, NegativeBinomial, ObservationMoments, OrdinalProbit,
    PointDerivatives, Poisson, PoissonSoftplus, RobustMax, Scalar, Softmax, StudentT, Support, WarpTerm,
    WarpedGaussian, Workspace,
};
use rand::Rng;

#[test]
fn every_registered_likelihood_conforms() {
    for likelihood in gp_likelihoods::registry::built_in().unwrap() {
        check(&*likelihood).unwrap_or_else(|failures| panic!("{failures}"));
    }
}

#[test]
fn values_off_the_defaults_conform() {
    let term = |height, steepness, shift| WarpTerm { height, steepness, shift };
    let warp = [term(0.2, 3.0, -0.3), term(2.5, 0.4, 1.7)];
    let all: [Box<dyn Likelihood>; 25] = [
        Box::new(PoissonSoftplus::new(1.3).unwrap()),
        Box::new(Gamma::new(0.6).unwrap()),
        Box::new(Gamma::new(25.0).unwrap()),
        Box::new(Beta::new(0.7).unwrap()),
        Box::new(Beta::new(60.0).unwrap()),
        Box::new(OrdinalProbit::new(&[0.4], 0.7).unwrap()),
        Box::new(OrdinalProbit::new(&[-1.0, -0.7, 0.2, 2.5], 0.3).unwrap()),
        Box::new(WarpedGaussian::new(&warp, 0.3).unwrap()),
        Box::new(WarpedGaussian::new(&warp[..1], 2.0).unwrap()),
        Box::new(Gaussian::new(0.3).unwrap()),
        Box::new(StudentT::new(0.04, 2.5).unwrap()),
        Box::new(StudentT::new(2.0, 30.0).unwrap()),
        Box::new(Poisson::new(-0.7).unwrap()),
        Box::new(NegativeBinomial::new(6.5).unwrap()),
        Box::new(Softmax::new(2).unwrap()),
        Box::new(Softmax::new(5).unwrap()),
        Box::new(RobustMax::new(6, 0.2).unwrap()),
        Box::new(MulticlassProbit::new(2).unwrap()),
        Box::new(Gprn::new(1, vec![0.4, 1.5, 0.9]).unwrap()),
        Box::new(Gprn::new(1, vec![0.3]).unwrap()),
        Box::new(Gaussians::new(vec![0.4]).unwrap()),
        Box::new(Gaussians::new(vec![0.4, 0.07, 1.5]).unwrap()),
        Box::new(Coregionalised::new(1, vec![1.0, -0.6, 2.0], vec![0.4, 0.3, 1.5]).unwrap()),
        Box::new(Coregionalised::new(2, vec![0.9, 0.2, -0.5, 1.1, 0.3, 0.3], vec![0.5, 0.8, 0.6]).unwrap()),
        Box::new(Coregionalised::new(3, vec![0.4, 1.2, -0.3], vec![0.7]).unwrap()),
    ];
    for likelihood in all {
        check(&*likelihood).unwrap_or_else(|failures| panic!("{failures}"));
    }
}

#[derive(Clone, Copy, Debug)]
enum Faulty {
    Density,
    Tilted,
    Moments,
    Distribution,
}

impl Described for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn support(&self) -> Support {
        Support::Signs
    }
    fn is_log_concave(&self) -> bool {
        true
    }
}

impl Density for Faulty {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let right = BernoulliProbit.log_p(y, f, theta);
        if matches!(self, Self::Density) { right - 1e-6 } else { right }
    }
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        BernoulliProbit.moments_given(f, out);
    }
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
        let shift = if matches!(self, Self::Distribution) { 1e-6 } else { 0.0 };
        BernoulliProbit.cdf_given(output, y, &[f[0] + shift])
    }
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        BernoulliProbit.sample_given(f, rng, out)
    }
    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let closed = BernoulliProbit.tilted_closed_form(y, q, power, ws, out);
        if matches!(self, Self::Tilted) && closed {
            out.by_variance[0] *= 1.0 + 1e-5;
        }
        closed
    }
    fn predictive_closed_form(
        &self,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        let closed = BernoulliProbit.predictive_closed_form(q, ws, out);
        if matches!(self, Self::Moments) {
            // Classic mistake: the link at the mean.
            let variance = out[0].variance;
            BernoulliProbit.moments_given(&[q[0].mean()], out);
            out[0].variance = variance;
        }
        closed
    }
}

#[derive(Clone, Copy, Debug)]
enum FaultyClasses {
    Normaliser,
    LatentDerivatives,
    Expected,
    Tilted,
    Probabilities,
    Samples,
    Text,
    Concave,
}

fn softmax() -> Softmax {
    Softmax::new(4).unwrap()
}

impl Described for FaultyClasses {
    fn name(&self) -> &'static str {
        "softmax"
    }
    fn settings(&self) -> Vec<(&'static str, usize)> {
        vec![("classes", if matches!(self, Self::Text) { 5 } else { 4 })]
    }
    fn latents(&self) -> usize {
        4
    }
    fn support(&self) -> Support {
        Support::Classes(4)
    }
    fn is_log_concave(&self) -> bool {
        true
    }
}

impl Density for FaultyClasses {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let right = softmax().log_p(y, &f, theta);
        match self {
            Self::Normaliser => right + (f(2) * 1e-5).exp() - 1.0,
            Self::Concave => right + f(1) * f(1) * 0.3,
            _ => right,
        }
    }
    fn slopes_closed_form(&self, y: &[f64], f: &[f64], out: &mut PointDerivatives) -> bool {
        if matches!(self, Self::Normaliser | Self::Concave) {
            return false;
        }
        softmax().slopes_closed_form(y, f, out);
        if matches!(self, Self::LatentDerivatives) {
            out.by_latent_twice[3] *= 1.0 + 1e-5;
        }
        true
    }
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        softmax().moments_given(f, out);
    }
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
        softmax().cdf_given(output, y, f)
    }
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let share = if matches!(self, Self::Samples) { 0.5 } else { 1.0 };
        let f: Vec<f64> = f.iter().map(|f| share * f).collect();
        softmax().sample_given(&f, rng, out)
    }
    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let wrong = matches!(self, Self::Expected);
        if wrong {
            softmax().expected_log_density(y, q, ws, out).unwrap();
            out.by_mean[1] += 0.1;
        }
        wrong
    }
    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let wrong = matches!(self, Self::Tilted);
        if wrong {
            // Classic mistake: the density at the means.
            let f: Vec<f64> = q.iter().map(|q| q.mean()).collect();
            softmax().tilted(y, q, power, ws, out).unwrap();
            out.value = power * softmax().log_p(y, |c| f[c], |_| 0.0);
        }
        wrong
    }
    fn class_probabilities_closed_form(&self, q: &[Latent], ws: &mut Workspace, out: &mut [f64]) -> bool {
        softmax().class_probabilities(q, ws, out).unwrap();
        out.swap(0, if matches!(self, Self::Probabilities) { 1 } else { 0 });
        true
    }
}

#[test]
fn planted_faults_of_many_latents_are_found() {
    let faults = [
        (FaultyClasses::Normaliser, "probability of all classes"),
        (FaultyClasses::LatentDerivatives, "second derivative by latent 3"),
        (FaultyClasses::Expected, "number 2 and its default"),
        (FaultyClasses::Tilted, "number 0 and its default"),
        (FaultyClasses::Probabilities, "probability of class"),
        (FaultyClasses::Samples, "samples of output 0"),
        (FaultyClasses::Text, "the shape of"),
        (FaultyClasses::Concave, "not concave in latent 1"),
    ];
    for (fault, sign) in faults {
        let found = check(&fault).map_err(|failures| failures.to_string());
        assert!(found.as_ref().is_err_and(|text| text.contains(sign)), "{fault:?}: {found:?}");
    }
}

#[test]
fn planted_faults_are_found() {
    let faults = [
        (Faulty::Density, "probability of"),
        (Faulty::Tilted, "and its default"),
        (Faulty::Moments, "predictive mean"),
        (Faulty::Distribution, "probability of"),
        (Faulty::Tilted, "reading the expression back failed"),
    ];
    for (fault, sign) in faults {
        let found = check(&fault).map_err(|failures| failures.to_string());
        assert!(found.as_ref().is_err_and(|text| text.contains(sign)), "{fault:?}: {found:?}");
    }
}
