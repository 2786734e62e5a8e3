//! Whole files of text.

use crate::Case;
use std::io::Write;

const LABELS: &str =
    "task,worker,label\nt1,ann,cat\nt1,bob,dog\nt1,cy,cat\nt2,ann,dog\nt2,bob,dog\nt2,cy,\nt3,ann,cat\n";
const JUDGMENTS: &str =
    "object,attribute,worker,value\no1,tall,ann,2\no1,tall,bob,3.5\no2,tall,ann,1\no2,old,bob,-4e2\n";

pub fn text() -> Vec<Case> {
    let plain = |ending, text: &str| Case { ending, bytes: text.as_bytes().to_vec() };
    let mut all = vec![
        plain("csv", LABELS),
        plain("csv", JUDGMENTS),
        plain("tsv", &LABELS.replace(',', "\t")),
        plain("csv", &JUDGMENTS.replace(',', ";").replace("3.5", "3,5")),
        plain("csv", "\u{feff}Task ID,Coder,Verdict\r\n\"a \"\"b\"\"\",x,\"yes,\nno\"\r\n1,y,no\r\n"),
        plain("csv", "photo,ann1,ann2,ann3\np1,cat,cat,dog\np2,dog,dog,\np3,cat,dog,cat\n"),
        plain("csv", "object,happy_1,happy_2,sad_1,sad_2\no1,1,2,3,4\no2,2,2,,1\n"),
        plain("csv", ",unit,x1,x2\n0,u1,0.5,1\n1,u2,0,-3\n"),
        plain("csv", "item,judge,model_a,model_b,verdict\n1,j,x,y,A\n1,j,y,x,B\n2,j,x,y,tie\n2,k,y,x,A\n"),
        plain(
            "csv",
            "task,worker,question,label\nt1,ann,q,a\nt1,ann,r,b\nt2,bob,q,a\n"
                .replace("question", "attribute")
                .as_str(),
        ),
        plain("csv", MTURK),
        plain("tsv", TOLOKA),
        plain("csv", LABEL_STUDIO),
        plain(
            "jsonl",
            "{\"task\":\"t1\",\"worker\":\"ann\",\"label\":\"cat\"}\n{\"task\":2,\"worker\":\"bob\",\"label\":true}\n",
        ),
    ];
    let packed = |text: &str| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        let zstd = zstd::encode_all(text.as_bytes(), 0).unwrap();
        [Case { ending: "csv.gz", bytes: gzip.finish().unwrap() }, Case { ending: "csv.zst", bytes: zstd }]
    };
    all.extend(packed(LABELS));
    all.extend(packed(JUDGMENTS));
    all
}

const MTURK: &str = "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.image_url,Answer.animal,Answer.cat.on,Answer.taskAnswers\nh1,a1,w1,Approved,http://x/1,cat,true,\"[{\"\"q\"\":{\"\"label\"\":\"\"a\"\"}}]\"\nh1,a2,w2,Rejected,http://x/1,dog,false,[]\nh2,a3,w1,Submitted,http://x/2,dog,true,\n";
const TOLOKA: &str = "INPUT:image\tOUTPUT:result\tGOLDEN:result\tASSIGNMENT:task_id\tASSIGNMENT:worker_id\tASSIGNMENT:status\nx1\tcat\t\tt1\tw1\tAPPROVED\nx1\tdog\t\tt1\tw2\tREJECTED\nx2\tdog\t\tt2\tw1\tACCEPTED\n";
const LABEL_STUDIO: &str = "animal,annotation_id,annotator,created_at,id,lead_time,quality,text,updated_at\ncat,1,1,2024,1,1.5,\"[{\"\"rating\"\":4}]\",\"a, b\",2024\ndog,2,2,2024,1,1.5,\"[{\"\"rating\"\":2}]\",\"a, b\",2024\ncat,3,1,2024,2,1.5,,c,2024\ncat,4,2,2024,2,1.5,,c,2024\n";
