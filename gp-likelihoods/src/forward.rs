//! Macros implementing likelihood methods.

/// Forwards the named methods of [`Described`](crate::Described) to a field.
///
/// ```
/// use gp_likelihoods::{Described, Poisson, Support, forward};
/// #[derive(Debug)]
/// struct Renamed(Poisson);
/// impl Described for Renamed {
///     fn name(&self) -> &'static str {
///         "renamed"
///     }
///     forward! { self.0 => parameters parameters_mut support is_log_concave }
/// }
/// assert_eq!(Renamed(Poisson::new(0.0)?).support(), Support::Counts);
/// # Ok::<(), gp_likelihoods::LikelihoodError>(())
/// ```
#[macro_export]
macro_rules! forward {
    (self.$of:tt => $($method:ident)*) => { $($crate::forward! { @ $of $method })* };
    (@ $of:tt settings) => { $crate::forward! { @ $of settings -> ::std::vec::Vec<(&'static str, usize)> } };
    (@ $of:tt parameters) => { $crate::forward! { @ $of parameters -> &[::gp_optim::Parameter] } };
    (@ $of:tt parameters_mut) => {
        fn parameters_mut(&mut self) -> &mut [::gp_optim::Parameter] {
            self.$of.parameters_mut()
        }
    };
    (@ $of:tt least_values) => {
        fn least_values(&self, variance: f64) -> ::std::vec::Vec<(&'static str, f64)> {
            self.$of.least_values(variance)
        }
    };
    (@ $of:tt latent_name) => {
        fn latent_name(&self, latent: usize) -> ::std::option::Option<::std::string::String> {
            self.$of.latent_name(latent)
        }
    };
    (@ $of:tt name) => { $crate::forward! { @ $of name -> &'static str } };
    (@ $of:tt latents) => { $crate::forward! { @ $of latents -> usize } };
    (@ $of:tt support) => { $crate::forward! { @ $of support -> $crate::Support } };
    (@ $of:tt link) => { $crate::forward! { @ $of link -> $crate::Link } };
    (@ $of:tt gaussian_noise) => {
        $crate::forward! { @ $of gaussian_noise -> ::std::option::Option<&$crate::Gaussian> }
    };
    (@ $of:tt mixing) => { $crate::forward! { @ $of mixing -> ::std::option::Option<&[f64]> } };
    (@ $of:tt $method:ident) => { $crate::forward! { @ $of $method -> bool } };
    (@ $of:tt $method:ident -> $answer:ty) => {
        fn $method(&self) -> $answer {
            self.$of.$method()
        }
    };
}

/// Implements the parameter methods of [`Described`](crate::Described) by a field.
///
/// ```
/// use gp_likelihoods::{Described, Support, parameters_in};
/// use gp_optim::Parameter;
/// #[derive(Debug)]
/// struct Mine {
///     params: [Parameter; 1],
/// }
/// impl Described for Mine {
///     fn name(&self) -> &'static str {
///         "mine"
///     }
///     parameters_in! { params }
///     fn support(&self) -> Support {
///         Support::Real
///     }
/// }
/// ```
#[macro_export]
macro_rules! parameters_in {
    ($params:ident) => {
        fn parameters(&self) -> &[::gp_optim::Parameter] {
            &self.$params
        }

        fn parameters_mut(&mut self) -> &mut [::gp_optim::Parameter] {
            &mut self.$params
        }
    };
}

/// Implements the named methods of [`Likelihood`](crate::Likelihood) by [`defaults`](crate::defaults).
#[macro_export]
macro_rules! by_quadrature {
    ($($method:ident)*) => { $($crate::by_quadrature! { @ $method })* };
    (@ tilted) => {
        $crate::by_quadrature! { @ tilted (y: &[f64]) (power: f64) (out: &mut $crate::LatentDerivatives) -> () }
    };
    (@ predictive_moments) => {
        $crate::by_quadrature! { @ predictive_moments () () (out: &mut [$crate::ObservationMoments]) -> () }
    };
    (@ class_probabilities) => {
        $crate::by_quadrature! { @ class_probabilities () () (out: &mut [f64]) -> () }
    };
    (@ predictive_cdf) => {
        $crate::by_quadrature! { @ predictive_cdf () (output: usize, y: f64) () -> f64 }
    };
    (@ predictive_quantile) => {
        $crate::by_quadrature! { @ predictive_quantile () (output: usize, probability: f64) () -> f64 }
    };
    (@ $method:ident ($($y:ident: $of_y:ty)?) ($($at:ident: $of_at:ty),*) ($($out:ident: $of_out:ty)?) -> $answer:ty) => {
        fn $method(
            &self,
            $($y: $of_y,)?
            q: &[$crate::Latent],
            $($at: $of_at,)*
            ws: &mut $crate::Workspace,
            $($out: $of_out,)?
        ) -> ::std::result::Result<$answer, $crate::LikelihoodError> {
            $crate::defaults::$method(self, $($y,)? q, $($at,)* ws $(, $out)?)
        }
    };
}
