/** Types of the modules that the build makes up; `virtual.ts` writes their text. */

declare module 'sluice:demo' {
  /** Name of a built-in conversation (`demo`) → the JSON text of its script. */
  export const scripts: Record<string, string>
  /** Path below the demo project (`src/cart.js`, always with `/`) → the file's text. */
  export const demoWorkspace: Record<string, string>
}

declare module 'sluice:version' {
  /** The version of the `sluice` package, such as `0.1.0`. */
  export const version: string
}
