//! Pages and figures of what commands found.

use crate::support::Folder;

/// Ids that would run, break a tag, turn text round or fill the page.
fn hostile() -> Vec<String> {
    vec![
        "<script>alert(1)</script>".into(),
        "</script><img src=x onerror=alert(2)>".into(),
        "\"><b onclick='x'>&amp;".into(),
        "two\nlines".into(),
        "\u{202e}txet \u{5e9}\u{5dc}\u{5d5}\u{5dd}".into(),
        "\u{1fad8}\u{1f469}\u{200d}\u{1f52c}".into(),
        "x".repeat(10_000),
        "\u{1}\u{fffe}".into(),
    ]
}

fn quoted(id: &str) -> String {
    format!("\"{}\"", id.replace('"', "\"\""))
}

/// The page that a command wrote, which loads nothing and has no tag that nobody opened.
fn page(folder: &Folder, name: &str) -> String {
    let html = folder.read(name);
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"), "{name}");
    for outside in ["src=\"", "href=\"http", "url(", "@import", "<link"] {
        assert!(!html.contains(outside), "{name} has {outside}");
    }
    for tag in ["figure", "table", "details", "svg", "section", "script", "bdi", "td", "tr", "g", "text"] {
        let open = html.matches(&format!("<{tag} ")).count() + html.matches(&format!("<{tag}>")).count();
        assert_eq!(open, html.matches(&format!("</{tag}>")).count(), "{name}: <{tag}>");
    }
    html
}

#[test]
fn every_command_draws_what_it_found() {
    let folder = Folder::new();
    for made in [
        &["simulate", "photos", "--objects", "80", "--out", "photos"][..],
        &[
            "simulate",
            "labels",
            "--tasks",
            "120",
            "--workers",
            "9",
            "--classes",
            "3",
            "--families",
            "1",
            "--out",
            "crowd",
        ],
        &["simulate", "experts", "--units", "150", "--noise-features", "2", "--out", "experts"],
    ] {
        assert_eq!(folder.run(made).code, 0);
    }
    let photos = "photos/judgments.csv --labels photos/truth.csv --label height";
    let select: Vec<String> =
        format!("select {photos} --budget 6 --out selection.json").split(' ').map(str::to_owned).collect();
    assert_eq!(folder.run(&select.iter().map(String::as_str).collect::<Vec<_>>()).code, 0);
    folder.write("new.csv", "id\nnew1\nnew2\n");
    let experts = "experts/features.csv --labels experts/labels.csv";
    for (name, command) in [
        ("inspect", "inspect photos/judgments.csv".to_owned()),
        ("inspect-labels", "inspect crowd/labels.csv --bootstrap 20".to_owned()),
        ("select", format!("select {photos} --budget 12 --bootstrap 5 --cost height=4")),
        ("workers", "workers crowd/labels.csv --suspicious".to_owned()),
        ("aggregate", "aggregate crowd/labels.csv --truth crowd/truth.csv".to_owned()),
        ("votes", "votes crowd/labels.csv --cost 0.1".to_owned()),
        ("learn", format!("learn {experts} --truth experts/truth.csv --restarts 1 --folds 2")),
        ("votes", "votes crowd/labels.csv --target-accuracy 0.9".to_owned()),
        ("next", "next crowd/labels.csv --votes 20 --stop 0.99".to_owned()),
        ("plan", "plan --objects new.csv --selection selection.json".to_owned()),
        ("score", "score experts/truth.csv --labels experts/labels.csv".to_owned()),
    ] {
        let report = format!("{name}.html");
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend(["--report", &report, "--figures", name]);
        let printed = folder.json(&arguments);
        let html = page(&folder, &report);
        assert!(html.len() < 1_000_000, "{name}: {} bytes", html.len());
        assert!(html.contains("Save as CSV") && html.contains("role=\"img\""), "{name}");
        let figures: Vec<_> =
            std::fs::read_dir(folder.path(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(!figures.is_empty());
        for figure in figures {
            let svg = std::fs::read_to_string(figure).unwrap();
            assert!(svg.starts_with("<svg xmlns") && !svg.contains("var("));
            assert!(svg.contains("class=\"title\""));
        }
        if name == "select" {
            let data = html.split("class=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
            let data: serde_json::Value = serde_json::from_str(data).unwrap();
            assert_eq!(data, printed, "the page holds the very JSON");
            assert!(printed["others"].as_array().unwrap().len() == 3);
        }
        if name == "learn" {
            assert!(printed["path"][0]["true_risk"].is_number());
            assert!(
                printed["coefficient_paths"][0]["values"].as_array().unwrap().len()
                    == printed["path"].as_array().unwrap().len()
            );
        }
        if name == "workers" {
            let matrix = printed["workers"][0]["confusion"].as_array().unwrap();
            assert_eq!((matrix.len(), printed["classes"].as_array().unwrap().len()), (3, 3));
            assert!(html.contains("class=\"confusion\"") && !html.contains("matrices are not shown"));
        }
        if name == "aggregate" {
            assert!(printed["in_doubt"][0]["votes"].as_array().unwrap().len() > 1);
            assert!(html.contains("class=\"confusion\""));
        }
    }
}

#[test]
fn hostile_ids_are_text() {
    let folder = Folder::new();
    let ids = hostile();
    let mut labels = String::from("task,worker,label\n");
    let mut judgments = String::from("object,attribute,worker,value\n");
    for (i, task) in ids.iter().enumerate() {
        for (j, worker) in ids.iter().enumerate() {
            let label = &ids[(i + j / 3) % 3];
            labels += &format!("{},{},{}\n", quoted(task), quoted(worker), quoted(label));
            judgments += &format!("{},{},{},{}\n", quoted(task), quoted(&ids[j]), quoted(worker), (i * 7 + j) % 5);
            judgments += &format!("{},{},again,{}\n", quoted(task), quoted(&ids[j]), (i * 5 + j) % 5);
        }
    }
    folder.write("labels.csv", labels);
    folder.write("judgments.csv", judgments);
    let truth: String = ids.iter().enumerate().map(|(i, id)| format!("{},{}\n", quoted(id), i * i % 11)).collect();
    folder.write("truth.csv", format!("object,\"<i>height\"\n{truth}"));
    for command in [
        "inspect labels.csv",
        "inspect judgments.csv",
        "workers labels.csv",
        "aggregate labels.csv",
        "select judgments.csv --labels truth.csv --budget 6",
    ] {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend(["--report", "page.html", "--figures", "figures", "-q", "--format", "csv"]);
        let run = folder.run(&arguments);
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        let html = page(&folder, "page.html");
        for tag in ["<script>alert", "<img", "<b onclick", "<i>"] {
            assert!(!html.contains(tag), "{command}: {tag}");
        }
        let body = html.split("<script>").next().unwrap();
        assert!(!body.contains('\u{202e}') || body.contains("data-v"), "{command}");
        for figure in std::fs::read_dir(folder.path("figures")).unwrap() {
            let svg = std::fs::read_to_string(figure.unwrap().path()).unwrap();
            assert!(!svg.contains(['\u{1}', '\u{fffe}', '\u{202e}']) && !svg.contains("<img"), "{command}");
        }
    }
}

#[test]
fn much_data_still_gives_a_small_page() {
    let folder = Folder::new();
    let mut labels = String::from("task,worker,label\n");
    for task in 0..100_000 {
        for vote in 0..2 {
            labels +=
                &format!("task {task},worker {},{}\n", (task * 7 + vote * 31) % 3000, (task + vote * (task % 3)) % 5);
        }
    }
    folder.write("labels.csv", labels);
    let mut judgments = String::from("object,attribute,worker,value\n");
    for attribute in 0..2000 {
        for object in 0..4 {
            judgments += &format!("o{object},attribute number {attribute},a,{}\n", (object * attribute) % 7);
            judgments += &format!("o{object},attribute number {attribute},b,{}\n", (object * attribute + 1) % 7);
        }
    }
    folder.write("judgments.csv", judgments);
    for command in [
        "aggregate labels.csv --method majority",
        "workers labels.csv",
        "inspect labels.csv --bootstrap 0",
        "inspect judgments.csv",
    ] {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend(["--report", "page.html", "-q", "--format", "csv"]);
        assert_eq!(folder.run(&arguments).code, 0);
        let bytes = page(&folder, "page.html").len();
        assert!(bytes < 3_000_000, "{command}: {bytes} bytes");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_one_sentence() {
    let folder = Folder::new();
    folder.write("labels.csv", "task,worker,label\n1,a,x\n1,b,y\n2,a,x\n2,b,x\n");
    let report = |path: &str| folder.error(&["inspect", "labels.csv", "--report", path]);
    assert!(report("page.pdf").contains("a report is written as .html"));
    assert!(report("nowhere/page.html").contains("nowhere/page.html"));
    let both = folder.error(&["inspect", "labels.csv", "--out", "a.html", "--format", "json", "--report", "a.html"]);
    assert!(both.contains("same file"), "{both}");
    assert!(folder.error(&["workers", "labels.csv", "--figures", "labels.csv"]).contains("labels.csv"));
    assert_eq!(folder.names(), ["labels.csv"]);
}
