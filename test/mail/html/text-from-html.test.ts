import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textFromHtml } from '../../../src/mail/html/text-from-html.ts'

describe('textFromHtml', () => {
  it('keeps words, links and lists, and leaves out styles, scripts and images', () => {
    const html = `<html><head><title>T</title><style>p { color: red }</style></head><body><h1>Hello</h1><p>See <a href="https://a.example/x?y=1&amp;z=2">our
      page</a> or <a href="https://b.example">https://b.example</a>.</p><img src="https://t.example/pixel.gif" alt=""><ul><li>one</li><li>two</li></ul>
      <script>alert(1)</script><p>Grüße &amp; &lt;mehr&gt;</p></body></html>`
    expect(textFromHtml(html)).toBe(
      'Hello\n\nSee our page (https://a.example/x?y=1&z=2) or https://b.example.\n\n * one\n * two\n\nGrüße & <mehr>',
    )
  })

  it('keeps the words of HTML that has more tags than it lays out', () => {
    const html = `<style>b{}</style>${'<p>one &amp; <b>two</b></p>'.repeat(20_000)}<script>if (1<2) hidden()</script><p>end</p>`
    const lines = textFromHtml(html).split('\n')
    expect(lines[0]).toBe('one & two')
    expect(lines).toHaveLength(20_001)
    expect(lines.at(-1)).toBe('end')
  })

  it.each([
    ['elements nested without end', '<div>'.repeat(400_000)],
    ['nested as far as they are laid out', '<p><div>'.repeat(9_900)],
    ['closed by the wrong names', '<div>'.repeat(10_000) + '</x>'.repeat(9_900)],
    ['quotes in quotes', '<blockquote>'.repeat(99) + '<p>x</p>'.repeat(9_900)],
    ['lists in lists', '<ol><li>x'.repeat(9_900)],
    ['tables in tables', '<table><tr><td>x'.repeat(6_000)],
    ['opening brackets', '<'.repeat(3_000_000)],
    ['entities', '&amp'.repeat(1_000_000)],
    ['unfinished comments', '<!--'.repeat(500_000)],
    ['unfinished scripts', '<script>'.repeat(300_000)],
    ['attributes', `<a ${'b=c '.repeat(500_000)}`],
    ['spaces', `x${' '.repeat(3_000_000)}y`],
    ['one long word', 'x'.repeat(3_000_000)],
  ])('takes bounded time and space for %s', (_name, html) => {
    const before = process.threadCpuUsage()
    const text = textFromHtml(html)
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2000)
    expect(text.length).toBeLessThan(1_000_100)
  })

  it('marks where it cut', () => expect(textFromHtml('word '.repeat(300_000)).endsWith('\n\n[…]')).toBe(true))

  it('never throws', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '</',
      '<a href="',
      '"',
      '<table>',
      '<td>',
      '<li>',
      '<!--',
      '&',
      '&#x',
      ';',
      '<br/>',
      'x',
      ' ',
      '\0',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        expect(textFromHtml(pieces.join(''))).toBeTypeOf('string')
      }),
    )
  })
})
