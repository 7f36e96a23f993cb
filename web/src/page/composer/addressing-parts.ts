// What shows whom a message is for, in a chunk of its own: nobody needs it before they address somebody.
export { default as Choices } from "./Choices.svelte";
export { default as Recipients } from "./Recipients.svelte";
