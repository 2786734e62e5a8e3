//! Whole files of text.

use crate::Case;
use std::io::Write;

const LABELS: &str =
    "task,worker,label\nt1,ann,cat\nt1,bob,dog\nt1,cy,cat\nt2,ann,dog\nt2,bob,dog\nt2,cy,\nt3,ann,cat\n";
const QUALTRICS: &str = "StartDate,Status,ResponseId,Q1,Q2,Q2_4_TEXT\nStart Date,Response Type,Response ID,\"What\nis it?\",And this?,Other\n\"{\"\"ImportId\"\":\"\"startDate\"\"}\",\"{\"\"ImportId\"\":\"\"status\"\"}\",\"{\"\"ImportId\"\":\"\"_recordId\"\"}\",\"{\"\"ImportId\"\":\"\"QID1\"\"}\",\"{\"\"ImportId\"\":\"\"QID2\"\"}\",\"{\"\"ImportId\"\":\"\"QID2_4_TEXT\"\"}\"\n2024,IP Address,R_1,cat,dog,\n2024,IP Address,R_2,cat,cat,\n";
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
        plain("csv", QUALTRICS),
        plain(
            "csv",
            "Timestamp,Email Address,Photo 1,Photo 2,Age\n5/1/2024 10:00:00,a@b,cat,dog,30\n5/1/2024 10:01:00,c@d,cat,cat,31\n5/1/2024 10:02:00,e@f,dog,dog,32\n",
        ),
        plain(
            "csv",
            "Respondent ID,Collector ID,What is it?,,Remarks\n,,one,two,Open-Ended Response\n1,9,cat,dog,so\n2,9,cat,cat,\n",
        ),
        plain("csv", "Results, of May\n\n,,\ntask,worker,label\nt1,ann,True\nt1,bob,False\n"),
        plain("csv", "item,judge,model,turn,verdict\n1,j,x,1,good\n1,j,y,1,bad\n1,k,x,2,good\n2,k,x,1,bad\n"),
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
