//! Tells the tests where the public data sets are, if they are anywhere.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-env-changed=BEANJAR_DATA");
    println!("cargo:rustc-check-cfg=cfg(beanjar_data)");
    // Asked when this runs and not when it was compiled: builds of several clones may share a target folder.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let folder = std::env::var_os("BEANJAR_DATA").map_or_else(|| here.join("../../../shared/data"), PathBuf::from);
    println!("cargo:rerun-if-changed={}", folder.display());
    if let Ok(folder) = folder.canonicalize() {
        println!("cargo:rustc-cfg=beanjar_data");
        println!("cargo:rustc-env=BEANJAR_DATA_FOLDER={}", folder.display());
    }
}
