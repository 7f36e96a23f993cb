// The page over a session made by hand, in the state the address names: for looking at it in a browser.
import { mount } from "svelte";
import "../../../src/page/all.css";
import App from "../../../src/page/App.svelte";
import { Clock } from "../../../src/page/clock.svelte";
import { Double, message, NOW } from "./double";
import { SCENES } from "./scenes";

const scene = new URL(location.href).searchParams.get("scene") ?? "talk";
const session = new Double(SCENES[scene] ?? {});
const target = document.getElementById("app");
if (target !== null) mount(App, { target, props: { session, clock: new Clock(() => NOW) } });
// A door that was seen stays while the way in is not answered yet.
if (scene === "entering") setTimeout(() => session.show({ phase: { kind: "entering" } }));
Object.assign(window, { session, message });
