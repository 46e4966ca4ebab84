//! `subagents route` list, add, rm, allow and deny.

use serde_json::json;

use crate::provider_servers::{Reply, Server, like, stage as serving};
use crate::stage::Stage;

const CONFIG: &str = "[policy]\nenabled = true\nallowed = [\"p/m\"] # mine\n\n[providers.p]\npreset = \"vllm\"\n\n\
                      [routes.\"p/m\"]\ncontext_window = 1000\nprice = { input = 1, output = 2 }\n";

fn stage() -> Stage {
    Stage::new()
        .with("config/config.toml", CONFIG)
        .with("config/agents/r.md", "---\nname: r\ndescription: d\nmodel: p/m\n---\nDo it.\n")
        .with("config/agents/s.md", "---\nname: s\ndescription: d\nmodel: p/n\n---\nDo it.\n")
}

#[test]
fn every_route_in_use_is_listed_with_its_users_and_what_is_known() {
    let stage = stage();
    let list = stage.run(&["route", "list", "--json"]).json("route-list");
    let (m, n) = (&list["routes"][0], &list["routes"][1]);
    assert_eq!((&m["route"], &m["agents"], &m["authorised"]), (&json!("p/m"), &json!(["r"]), &json!("yes")));
    assert_eq!(m["context_window"], json!({"value": 1000, "source": "config"}));
    assert_eq!((&n["route"], &n["authorised"], &n["price"]), (&json!("p/n"), &json!("no"), &json!(null)));
    let table = stage.run(&["route", "list"]).ok();
    assert!(table.contains("p/m    1000     -       1/2"), "{table}");
    stage.run(&["policy", "off"]).ok();
    let list = stage.run(&["route", "list", "--json"]).json("route-list");
    assert_eq!(list["routes"][0]["authorised"], "policy-off");
}

#[test]
fn a_route_shows_each_repair_with_who_decided_it() {
    let stage = stage().with(
        "config/config.toml",
        "[providers.p]\npreset = \"deepseek\"\nrepairs = { free-tool-choice = true }\n\n\
         [routes.\"p/m\"]\nimages = false\nrepairs = { drop-attribution = false, drop-betas = [\"a-2025\"] }\n",
    );
    let shown = stage.run(&["route", "show", "p/m", "--json"]).json("route-show");
    let of = |word: &str| {
        shown["repairs"].as_array().unwrap().iter().find(|r| r["repair"] == word).unwrap().clone()
    };
    for (word, on, because) in [
        ("drop-attribution", false, "route"),
        ("drop-betas", true, "route"),
        ("free-tool-choice", true, "provider"),
        ("images-as-text", true, "settings"),
        ("fold-system-turns", true, "known"),
        ("drop-cache-control", false, "nobody"),
    ] {
        assert_eq!((&of(word)["on"], &of(word)["because"]), (&json!(on), &json!(because)), "{word}");
    }
    assert_eq!(of("drop-betas")["switch"], json!(["a-2025"]));
    assert!(of("fold-system-turns")["source"].as_str().unwrap().starts_with("https://"));
    assert_eq!(shown["route"], stage.run(&["route", "list", "--json"]).json("route-list")["routes"][0]);
    let text = stage.run(&["route", "show", "p/m"]).ok();
    assert!(text.contains("images-as-text") && text.contains("the route's images"), "{text}");
    let listed = stage.run(&["provider", "list", "--json"]).json("provider-list");
    assert_eq!(listed["providers"][0]["repairs"], json!({"free-tool-choice": true}));
    assert!(stage.run(&["route", "show", "q/m"]).stderr.contains("no usable provider `q`"));
}

#[test]
fn a_misspelt_repair_is_an_error_with_what_was_meant() {
    let config = "[providers.p]\npreset = \"ollama\"\n\n[routes.\"p/m\".repairs]\nfold-sytem-turns = true\n";
    let stage = Stage::new().with("config/config.toml", config);
    let ran = stage.run(&["config", "check"]);
    let told = format!("{}{}", ran.stdout, ran.stderr);
    assert!(told.contains("`fold-system-turns`?") && told.contains("error"), "{told}");
}

#[test]
fn what_a_catalogue_said_within_the_hour_is_marked() {
    let server = Server::new(like("vllm"));
    let stage = serving("vllm", &server)
        .with("config/agents/r.md", "---\nname: r\ndescription: d\nmodel: p/qwen\n---\nDo it.\n");
    let window =
        || stage.run(&["route", "list", "--json"]).json("route-list")["routes"][0]["context_window"].clone();
    assert_eq!(window(), json!(null), "nobody is asked for a list");
    assert!(server.asked().is_empty());
    stage.run(&["provider", "models", "p"]).ok();
    assert_eq!(window(), json!({"value": 16_384, "source": "catalogue"}));
    let ran = stage.run(&["route", "list"]);
    assert!(
        ran.stdout.contains("16384*") && ran.stderr.contains("catalogue"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_route_is_added_with_what_is_given() {
    let stage = stage();
    let arguments = [
        "route",
        "add",
        "p/n",
        "--offline",
        "--context-window",
        "32768",
        "--output-limit",
        "4096",
        "--price-input",
        "0",
        "--price-output",
        "0.5",
        "--efforts",
        "low,high",
        "--default-effort",
        "low",
        "--json",
    ];
    stage.run(&arguments).json("change");
    let added = "\n[routes.\"p/n\"]\ncontext_window = 32768\noutput_limit = 4096\nefforts = [\"low\", \"high\"]\n\
                 default_effort = \"low\"\nprice = { input = 0.0, output = 0.5 }\n";
    assert_eq!(stage.read("config/config.toml"), format!("{CONFIG}{added}"));
    let unset = ["route", "add", "p/n", "--offline", "--unset", "output_limit", "--unset", "price"];
    stage.run(&unset).ok();
    let left =
        added.replace("output_limit = 4096\n", "").replace("price = { input = 0.0, output = 0.5 }\n", "");
    assert_eq!(stage.read("config/config.toml"), format!("{CONFIG}{left}"));
    assert!(stage.run(&unset).failed(1).contains("`output_limit` isn't set for `p/n`"));
}

#[test]
fn what_is_not_given_comes_from_the_catalogue_with_its_source() {
    let server = Server::new(like("openrouter"));
    let stage = serving("openrouter", &server);
    stage.run(&["route", "add", "p/z-ai/glm-5", "--context-window", "100000"]).ok();
    let text = stage.read("config/config.toml");
    assert!(text.contains("context_window = 100000\noutput_limit = 131072   # catalogue, 20"), "{text}");
    assert!(
        text.contains("price = { input = 0.6, output = 2.2, cache_read = 0.11 }   # catalogue"),
        "{text}"
    );
    let list = stage.run(&["route", "list", "--json"]).json("route-list");
    assert_eq!(list["routes"][0]["output_limit"], json!({"value": 131_072, "source": "config"}));
}

#[test]
fn a_catalogue_that_fails_or_knows_nothing_keeps_no_route_from_being_added() {
    let server = Server::new(|_| Reply::Page(200));
    let stage = serving("vllm", &server);
    let ran = stage.run(&["route", "add", "p/m"]);
    assert!(ran.stderr.contains("warning") && ran.stderr.contains("web page"), "{}", ran.stderr);
    ran.ok();
    assert!(stage.read("config/config.toml").ends_with("[routes]\n\"p/m\" = {}\n"));
    let server = Server::new(like("vllm"));
    let ran = serving("vllm", &server).run(&["route", "add", "p/other"]);
    assert!(ran.stderr.contains("lists no `other`"), "{}", ran.stderr);
}

#[test]
fn a_route_that_makes_no_sense_is_refused() {
    for (arguments, code, part) in [
        (&["route", "add", "m"][..], 2, "provider/model"),
        (&["route", "add", "q/m", "--offline"], 3, "no usable provider `q`"),
        (&["route", "add", "p/n", "--offline", "--context-window", "0"], 2, "context-window"),
        (&["route", "add", "p/n", "--offline", "--price-input", "1"], 2, "price-output"),
        (
            &["route", "add", "p/n", "--offline", "--price-input", "1", "--price-output", "nan"],
            2,
            "0 or more",
        ),
        (&["route", "add", "p/n", "--offline", "--default-effort", "low"], 3, "none of its `efforts`"),
        (&["route", "add", "p/m", "--offline", "--no-tools"], 3, "can't call tools"),
        (&["route", "add", "p/n", "--offline", "--efforts", ""], 2, "a level has a name"),
        (&["route", "add", "p/n", "--offline", "--efforts", "low,,high"], 2, "a level has a name"),
        (&["route", "allow", "p/n", "p/n"], 2, "`p/n` is named twice"),
        (&["route", "deny", "p/m", "p/m"], 2, "`p/m` is named twice"),
        (&["route", "rm", "p/zzz"], 1, "says nothing of the route"),
        (&["route", "allow"], 2, "PROVIDER/MODEL"),
    ] {
        let stage = stage();
        let told = stage.run(arguments).failed(code);
        assert!(told.contains(part), "{arguments:?}: {told}");
        assert_eq!(stage.read("config/config.toml"), CONFIG);
    }
}

#[test]
fn a_new_price_keeps_the_prices_of_the_cache() {
    let priced = CONFIG.replace("output = 2 }", "output = 2, cache_read = 0.1 } # mine");
    let stage = Stage::new().with("config/config.toml", &priced);
    stage.run(&["route", "add", "p/m", "--offline", "--price-input", "3", "--price-output", "4"]).ok();
    let expect = priced.replace("input = 1, output = 2,", "input = 3.0, output = 4.0,");
    assert_eq!(stage.read("config/config.toml"), expect);
}

#[test]
fn what_is_written_of_a_route_goes_and_who_still_uses_it_is_told() {
    let stage = stage();
    let ran = stage.run(&["route", "rm", "p/m"]);
    assert!(ran.stderr.contains("`r`") && ran.stderr.contains("route deny p/m"), "{}", ran.stderr);
    ran.ok();
    assert!(!stage.read("config/config.toml").contains("[routes"));
}

#[test]
fn a1_a3_the_list_of_authorised_routes_grows_and_shrinks_and_never_leaves_a_policy_empty() {
    let stage = stage();
    stage.run(&["route", "allow", "p/n", "p/m", "--json"]).json("change");
    assert!(stage.read("config/config.toml").contains("allowed = [\"p/m\", \"p/n\"] # mine"));
    stage.run(&["route", "deny", "p/n"]).ok();
    assert_eq!(stage.read("config/config.toml"), CONFIG);
    let told = stage.run(&["route", "deny", "p/m"]).failed(3);
    assert!(told.contains("policy off"), "{told}");
    assert_eq!(stage.read("config/config.toml"), CONFIG);
    let told = stage.run(&["route", "allow", "q/m"]).failed(3);
    assert!(told.contains("needs a provider `q`"), "{told}");
    assert_eq!(stage.read("config/config.toml"), CONFIG);
}

#[test]
fn a2_a_route_that_is_allowed_while_the_policy_is_off_is_said_to_wait() {
    let stage = Stage::new().with("config/config.toml", "[providers.p]\npreset = \"vllm\"\n");
    let ran = stage.run(&["route", "allow", "p/m"]);
    assert!(ran.stderr.contains("policy on"), "{}", ran.stderr);
    ran.ok();
    let again = stage.run(&["route", "allow", "p/m"]).ok();
    assert!(again.contains("Nothing had to be changed"), "{again}");
    let text = stage.read("config/config.toml");
    assert!(text.ends_with("[policy]\nallowed = [\"p/m\"]\n"), "{text}");
}

#[test]
fn a_route_gets_limits_and_repairs_and_every_comment_stays() {
    let stage = stage();
    let arguments = [
        "--concurrency",
        "2",
        "--queue",
        "8",
        "--no-images",
        "--timeout",
        "first_byte=600",
        "--timeout",
        "idle=0.5",
        "--repair",
        "drop-betas=a-2025,b-2025",
        "--repair",
        "thinking-as-budget=4000",
        "--repair",
        "drop-attribution=off",
        "--repair",
        "fold-system-turns",
        "--fallback",
        "p/m",
    ];
    stage.run(&[&["route", "add", "p/n", "--offline"], arguments.as_slice()].concat()).ok();
    let expect = "\n[routes.\"p/n\"]\nconcurrency = 2\nqueue = 8\nfallback = [\"p/m\"]\nimages = false\n\
                  timeouts = { first_byte = 600, idle = 0.5 }\nrepairs = { drop-betas = [\"a-2025\", \"b-2025\"], \
                  thinking-as-budget = 4000, drop-attribution = false, fold-system-turns = true }\n";
    assert_eq!(stage.read("config/config.toml"), format!("{CONFIG}{expect}"));
    let shown = stage.run(&["route", "show", "p/n", "--json"]).json("route-show");
    let folds =
        shown["repairs"].as_array().unwrap().iter().find(|repair| repair["repair"] == "fold-system-turns");
    assert_eq!(folds.unwrap()["because"], "route");
}

#[test]
fn what_cant_take_a_routes_place_is_refused_before_anything_is_written() {
    let stage = stage();
    for (arguments, code, part) in [
        (&["--fallback", "p/other"][..], 3, "`p/other` is not authorised"),
        (&["--fallback", "p/n"], 3, "names the route itself"),
        (&["--fallback", "p/m", "--local"], 3, "`p/m` is not local"),
        (&["--repair", "drop-attribution=7"], 3, "`true` or `false`"),
        (&["--timeout", "idle=0"], 3, "above 0"),
        (&["--repair", "drop-beta"], 2, "drop-betas"),
        (&["--timeout", "5"], 2, "KIND=SECONDS"),
    ] {
        let told = stage.run(&[&["route", "add", "p/n", "--offline"], arguments].concat()).failed(code);
        assert!(told.contains(part), "{arguments:?}: {told}");
        assert_eq!(stage.read("config/config.toml"), CONFIG);
    }
}
