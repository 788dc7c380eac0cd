import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPlaceholders } from '../../../src/mail/rendering/placeholders.ts'

const named = (name: string, fallback: string | null = null) => ({ name, fallback })

describe('a placeholder', () => {
  it.each([
    ['{{{NAME}}}', [named('NAME')]],
    ['a{{{NAME}}}b', ['a', named('NAME'), 'b']],
    ['{{{ name }}}{{{b_2}}}', [named('name'), named('b_2')]],
    ['{{{contact.first_name|there}}}', [named('contact.first_name', 'there')]],
    ['{{{contact.properties.plan|}}}', [named('contact.properties.plan', '')]],
    ['{{{A| "b" <c> & \n d }}}', [named('A', ' "b" <c> & \n d ')]],
    ['{{{A|b|c}}}', [named('A', 'b|c')]],
    ['{{{{A}}}}', ['{', named('A'), '}']],
    ['{{{a|{{{B}}}}}}', ['{{{a|', named('B'), '}}}']],
    [`{{{${'a'.repeat(100)}}}}`, [named('a'.repeat(100))]],
  ])('is found in %s', (source, parts) => expect(readPlaceholders(source)).toEqual(parts))

  it.each([
    '{{{',
    '}}}',
    '{{{NAME',
    '{{{NAME}}',
    '{{NAME}}',
    '{{{}}}',
    '{{{|x}}}',
    '{{{two words}}}',
    '{{{#each x}}}',
    '{{{.a}}}',
    '{{{a-b}}}',
    '{{{ä}}}',
    '{{{A|{b}}}}',
    `{{{${'a'.repeat(101)}}}}`,
  ])('is not found in %s, which is text', (source) => expect(readPlaceholders(source)).toEqual([source]))

  it('is not found in nothing', () => expect(readPlaceholders('')).toEqual([]))
})

it('finds what looking at each character finds, in any text', () => {
  const pieces = ['{', '{{{', '}', '}}}', 'A', 'contact.x', '|', ' ', '\n', '-', 'ü', '"']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (texts) => {
      const source = texts.join('')
      expect(readPlaceholders(source)).toEqual(naively(source))
    }),
    { numRuns: 5_000 },
  )
})

function naively(source: string): (string | { name: string; fallback: string | null })[] {
  const parts: (string | { name: string; fallback: string | null })[] = []
  let text = ''
  let at = 0
  while (at < source.length) {
    const end = source.startsWith('{{{', at) ? source.indexOf('}}}', at) : -1
    const inside = end < 0 ? '{' : source.slice(at + 3, end)
    const bar = inside.indexOf('|')
    const name = (bar < 0 ? inside : inside.slice(0, bar)).trim()
    if (/[{}]/.test(inside) || !/^\w[\w.]*$/.test(name)) {
      text += source[at]
      at += 1
    } else {
      if (text !== '') parts.push(text)
      text = ''
      parts.push({ name, fallback: bar < 0 ? null : inside.slice(bar + 1) })
      at = end + 3
    }
  }
  if (text !== '') parts.push(text)
  return parts
}
