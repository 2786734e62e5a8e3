//! Tests of the real binary, named after what a user does.

mod aggregating;
mod aggregating_methods;
mod asking;
mod bad_input;
mod contributing;
mod exports;
mod hardening;
mod known_answers;
mod learning;
mod learning_features;
mod learning_in_any_order;
mod odd_tables;
mod output_files;
mod public_data;
mod ranking_workers;
mod reading;
mod reports;
mod schemas;
mod scoring;
mod selecting;
mod selecting_classes;
mod simulated;
mod support;
mod tutorials;
mod understanding;
mod values;
