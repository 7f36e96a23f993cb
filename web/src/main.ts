// The entry of the page at /s/{id}: mounts the app and decides nothing.
import { mount } from "svelte";
import App from "./page/App.svelte";

const target = document.getElementById("app");
if (target !== null) mount(App, { target });
