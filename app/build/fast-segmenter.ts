/** Stands in for Intl.Segmenter in the bundle: text whose characters never join is split without loading ICU's tables. */

/**
 * Single UTF-16 units that are a grapheme cluster of their own beside any other of this set: Latin letters, punctuation,
 * arrows, mathematics, box drawing, blocks, CJK without its marks, and controls except CR (which joins a LF).
 */
export const standsAlone =
  '\\u0000-\\u000c\\u000e-\\u00ac\\u00ae-\\u02ff\\u2010-\\u2027\\u2030-\\u205e\\u20a0-\\u20bf\\u2190-\\u27bf\\u3000-\\u3029\\u3041-\\u3096\\u309b-\\u30ff\\u4e00-\\u9fff'
const allAlone = new RegExp(`^[${standsAlone}]*$`)

export class FastSegmenter {
  private real: Intl.Segmenter | undefined
  private readonly locales: Intl.LocalesArgument
  private readonly options: Intl.SegmenterOptions | undefined

  constructor(locales?: Intl.LocalesArgument, options?: Intl.SegmenterOptions) {
    this.locales = locales
    this.options = options
  }

  segment(input: string): Intl.Segments | PlainSegments {
    const granularity = this.options?.granularity ?? 'grapheme'
    if (granularity === 'grapheme' && allAlone.test(input)) return new PlainSegments(input)
    return this.realOne().segment(input)
  }

  resolvedOptions(): Intl.ResolvedSegmenterOptions {
    return this.realOne().resolvedOptions()
  }

  /** The first of a process costs 15 ms or more, which would be paid before the first frame. */
  private realOne(): Intl.Segmenter {
    this.real ??= new Intl.Segmenter(this.locales, this.options)
    return this.real
  }
}

/** As `Intl.Segments`, for text in which every unit is a segment. */
class PlainSegments {
  private readonly input: string

  constructor(input: string) {
    this.input = input
  }

  containing(at = 0): Intl.SegmentData | undefined {
    const index = Math.trunc(at)
    return index >= 0 && index < this.input.length ? this.at(index) : undefined
  }

  *[Symbol.iterator](): IterableIterator<Intl.SegmentData> {
    for (let index = 0; index < this.input.length; index++) yield this.at(index)
  }

  private at(index: number): Intl.SegmentData {
    return { segment: this.input.charAt(index), index, input: this.input }
  }
}
