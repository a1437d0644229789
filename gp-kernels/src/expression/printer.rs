//! A kernel to the text it would be read from.

use gp_optim::text::value_text;

use super::form::{Form, Setting};
use crate::kernel::Kernel;

/// The expression of a kernel.
pub(crate) fn print<K: Kernel + ?Sized>(kernel: &K) -> String {
    match kernel.form() {
        Form::Call => print_call(kernel, &[]),
        Form::Sum => join(kernel, " + ", |child| child == Form::Sum),
        Form::Product => {
            join(kernel, " * ", |child| matches!(child, Form::Sum | Form::Product | Form::Scale))
        }
        Form::Scale => {
            let factor = kernel.parameters().first().map(value_text).unwrap_or_default();
            format!("{factor} * {}", join(kernel, " * ", |child| matches!(child, Form::Sum | Form::Scale)))
        }
        Form::Dims => print_dims(kernel),
    }
}

/// The children with `between` between them, those in parentheses for which `enclose` says so.
fn join<K: Kernel + ?Sized>(kernel: &K, between: &str, enclose: fn(Form) -> bool) -> String {
    let print_child = |child: &dyn Kernel| {
        let text = print(child);
        if enclose(child.form()) { format!("({text})") } else { text }
    };
    kernel.children().iter().map(|child| print_child(child.as_ref())).collect::<Vec<_>>().join(between)
}

fn print_dims<K: Kernel + ?Sized>(kernel: &K) -> String {
    let settings = kernel.settings();
    match kernel.children() {
        [child] if child.form() == Form::Call && child.children().is_empty() => {
            print_call(child.as_ref(), &settings)
        }
        children => {
            let inner: Vec<String> = children.iter().map(|child| print(child.as_ref())).collect();
            let settings: Vec<String> = settings.iter().map(Setting::print).collect();
            format!("select({}, {})", inner.join(", "), settings.join(", "))
        }
    }
}

fn print_call<K: Kernel + ?Sized>(kernel: &K, added: &[Setting]) -> String {
    let children = kernel.children().iter().map(|child| print(child.as_ref()));
    let settings = kernel.settings();
    let parameters = kernel.parameters().iter().map(|p| format!("{}={}", p.name(), value_text(p)));
    let settings = settings.iter().chain(added).map(Setting::print);
    let arguments: Vec<String> = children.chain(parameters).chain(settings).collect();
    format!("{}({})", kernel.name(), arguments.join(", "))
}
