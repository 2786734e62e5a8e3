//! beanjar for Python: the commands with tables in place of files, and the methods that crowd-kit has.
//!
//! The package `python/beanjar` is what users see. It is thin: it turns arguments into those of a command, calls it here,
//! and shows the answer.

mod call;
mod crowdkit;
mod distributed;
mod held;
mod moments;
mod numbers;
mod tasks;
mod watch;

use pyo3::prelude::*;

#[pymodule]
mod _beanjar {
    #[pymodule_export]
    use crate::call::{call, main};
    #[pymodule_export]
    use crate::crowdkit::{codes::codes, dawid_skene::dawid_skene, glad::glad, mace::mace, mmsr::mmsr};
    #[pymodule_export]
    use crate::distributed::{
        Gathering, Pass, Placer, Reading, add_parts, classes_of, fit_distributed, inspect_distributed, layout,
        sample_tasks, vote_patterns,
    };
    #[pymodule_export]
    use crate::moments::{GroupMoments, moments_file, moments_pass};
    #[pymodule_export]
    use crate::tasks::{Table, Tasks};
    #[pymodule_export]
    use crate::watch::BeanjarError;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
