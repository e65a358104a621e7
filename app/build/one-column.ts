/** The characters that the bundle's short cuts take to be one cell wide. */

/**
 * Characters that are one column wide alone and never join a neighbour of this set into a wider cluster: Latin,
 * punctuation, arrows, box drawing, blocks and the marks the app draws. Anything else takes the library's slow road.
 */
export const oneColumn =
  '\\u0020-\\u007e\\u00a1-\\u00ac\\u00ae-\\u024f\\u2010-\\u2015\\u2018-\\u2027\\u2030-\\u205e\\u20ac\\u2190-\\u22ff\\u23ce\\u240d\\u2500-\\u25fc\\u2605\\u2606\\u2713\\u2717\\u276f\\u2800-\\u28ff'
