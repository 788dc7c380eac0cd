import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isProblem } from '../../src/lib/problem.ts'
import { canonicalAddress, canonicalDomain, parseMailbox } from '../../src/mail/addresses.ts'
import { leastCpuMs } from '../support/clocks/cpu.ts'

const problemOf = (text: string): string | null => {
  const found = parseMailbox(text)
  return isProblem(found) ? found.problem : null
}

describe('parseMailbox', () => {
  it.each([
    ['a@b.example', null, 'a@b.example'],
    [' a@b.example ', null, 'a@b.example'],
    ['<a@b.example>', null, 'a@b.example'],
    ['Name <a@b.example>', 'Name', 'a@b.example'],
    ['Name<a@b.example>', 'Name', 'a@b.example'],
    ['"Quoted, name" <a@b.example>', 'Quoted, name', 'a@b.example'],
    ['"Say \\"hi\\" \\\\" <a@b.example>', 'Say "hi" \\', 'a@b.example'],
    ['"Acme (Support): news" <a@b.example>', 'Acme (Support): news', 'a@b.example'],
    ['Joe "Bob" Smith <a@b.example>', 'Joe Bob Smith', 'a@b.example'],
    ['J. O’Neil & Söhne [news] <a@b.example>', 'J. O’Neil & Söhne [news]', 'a@b.example'],
    ['山田 太郎 👩‍🔬 <a@b.example>', '山田 太郎 👩‍🔬', 'a@b.example'],
    ['محمد <a@b.example>', 'محمد', 'a@b.example'],
    ['Tom @ Acme <a@b.example>', 'Tom @ Acme', 'a@b.example'],
    ['"" <a@b.example>', null, 'a@b.example'],
    ["o'brien+tag=x%y@b.example", null, "o'brien+tag=x%y@b.example"],
    ['Me.Too@B.Example', null, 'Me.Too@b.example'],
    ['"a b"@b.example', null, '"a b"@b.example'],
    ['N <"a@\\"b"@b.example>', 'N', '"a@\\"b"@b.example'],
    ['"plain"@b.example', null, 'plain@b.example'],
    ['a..b@c.example', null, '"a..b"@c.example'],
    ['"a..b"@c.example', null, '"a..b"@c.example'],
    ['.a@b.example', null, '".a"@b.example'],
    ['Taro <taro.@b.example>', 'Taro', '"taro."@b.example'],
    ['a@my_shop.example', null, 'a@my_shop.example'],
    ['a@_b.bücher.example', null, 'a@_b.xn--bcher-kva.example'],
    ['a@bücher.example', null, 'a@xn--bcher-kva.example'],
    ['a@BÜCHER.example', null, 'a@xn--bcher-kva.example'],
    ['a@XN--BCHER-KVA.example', null, 'a@xn--bcher-kva.example'],
    ['a@例え。jp', null, 'a@xn--r8jz45g.jp'],
    [`${'l'.repeat(64)}@b.example`, null, `${'l'.repeat(64)}@b.example`],
  ])('reads %j', (text, name, address) => {
    const at = address.lastIndexOf('@')
    expect(parseMailbox(text)).toEqual({ name, address, local: address.slice(0, at), domain: address.slice(at + 1) })
  })

  it.each([
    ['', 'must hold an address'],
    ['<>', 'must hold an address'],
    ['@', 'must be `name@example.com`'],
    ['a', 'must be `name@example.com`'],
    ['@b.example', 'before the `@`'],
    ['a@', 'domain'],
    ['a@b@c.example', 'domain'],
    ['a,b@c.example', 'not several'],
    [`.${'l'.repeat(62)}.@b.example`, 'more than 64'],
    ['a@b..example', 'domain'],
    ['a b@c.example', 'before the `@`'],
    ['Name a@b.example', 'before the `@`'],
    ['<<a@b.example>>', 'before the `@`'],
    ['Name <a@b.example', 'nothing after the `>`'],
    ['Name <a@b.example> x', 'nothing after the `>`'],
    ['"Name <a@b.example>', 'not closed'],
    ['Name <"a@b.example>', 'not closed'],
    ['"Name\\', 'not closed'],
    ['jürgen@b.example', 'not ASCII'],
    [`${'l'.repeat(65)}@b.example`, 'more than 64'],
    [`a@${'d'.repeat(64)}.example`, 'domain that is not valid'],
    [`${'l'.repeat(60)}@${'d.'.repeat(100)}example`, 'more than 254'],
    ['a'.repeat(999), 'longer than 998'],
    [`"${'n'.repeat(257)}" <a@b.example>`, 'more than 256'],
  ])('refuses %.40j', (text, sentence) => expect(problemOf(text)).toContain(sentence))

  it.each(['a@b.example, c@d.example', 'a@b.example; c@d.example', 'Doe, John <a@b.example>', '<a@b.example>,<c@d.example>'])(
    'refuses several addresses in one text: %j',
    (text) => expect(problemOf(text)).not.toBeNull(),
  )

  it.each(['Team: a@b.example;', 'Team:;', 'undisclosed-recipients:;'])('refuses the group %j', (text) =>
    expect(problemOf(text)).toContain('group'),
  )

  it.each(['Acme (Support) <a@b.example>', 'a@b.example (home)', 'a(x)@b.example'])('refuses the comment in %j', (text) =>
    expect(problemOf(text)).toContain('comment'),
  )

  it.each([
    ['a@b.example <a@b.example>', 'a@b.example'],
    ['"ada@customer.example via Support" <a@b.example>', 'ada@customer.example via Support'],
    ['\u2068Ada\u2069 <a@b.example>', '\u2068Ada\u2069'],
  ])('takes the display name of %j', (text, name) => expect(parseMailbox(text)).toMatchObject({ name, address: 'a@b.example' }))

  it.each(['a\u2066@b.example', 'a@b\u2066.example', '\u2066a@b.example'])('takes no isolate in an address: %j', (text) =>
    expect(problemOf(text)).not.toBeNull(),
  )

  it.each(['"x <y@z.example>" <a@b.example>', '"x <y>" <a@b.example>', '"＜y＞" <a@b.example>'])(
    'refuses angle brackets in a display name: %j',
    (text) => expect(problemOf(text)).toContain('`<` or `>`'),
  )

  it('refuses a display name that would say something else once decoded', () =>
    expect(problemOf('=?utf-8?q?ceo=40bank.example?= <a@b.example>')).toContain('encoded'))

  it.each(['=?utf-8?q?ceo=40bank.example?=@b.example', '"=?x?B?Y2VvQGI=?="@b.example'])(
    'refuses %s, an address that would be another one once decoded',
    (text) => expect(problemOf(text)).toContain('encoded'),
  )

  it.each(['\r', '\n', '\0', '\t', '\u007f', '\u0085', '\u2028', '\u202a', '\u202e', '\ud800'])(
    'refuses the character %j wherever it stands',
    (character) => {
      for (const text of [
        `N${character}m <a@b.example>`,
        `"N${character}m" <a@b.example>`,
        `a${character}@b.example`,
        `a@b${character}.example`,
        `${character}a@b.example`,
      ]) {
        expect(problemOf(text)).toContain('control characters')
      }
    },
  )

  it('reads again what it has read, to the same mailbox', () => {
    const local = fc.oneof(fc.stringMatching(/^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]{1,20}$/), fc.stringMatching(/^"[ -!#-[\]-~]{1,20}"$/))
    fc.assert(
      fc.property(local, fc.domain(), (left, domain) => {
        const mailbox = parseMailbox(`${left}@${domain}`)
        fc.pre(!isProblem(mailbox))
        expect(parseMailbox(`N <${canonicalAddress(mailbox)}>`)).toEqual({ ...mailbox, name: 'N' })
      }),
    )
  })

  it('answers for any text, and only with addresses that are safe on a command line of SMTP', () => {
    const piece = fc.constantFrom('"', '\\', '<', '>', '@', 'a@b.example', '.', ' ', '(', ')', ',', ':', ';', '[', ']', 'é', '=?', '?=')
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5, unit: 'binary' })), { maxLength: 20 }), (pieces) => {
        const mailbox = parseMailbox(pieces.join(''))
        if (isProblem(mailbox)) return
        expect(mailbox.address).toMatch(/^(?:[^\s"(),:;<>@[\\\]]+|"(?:[ !#-[\]-~]|\\["\\])*")@[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/)
        expect(mailbox.name ?? '').not.toMatch(/[<>\p{Cc}]/u)
      }),
      { numRuns: 2000 },
    )
  })

  it.each(['a', '"', '\\', '<', '@', '.', 'a.', '"\\', '=?', ' ', '(', 'é', 'a@'])(
    'answers at once for a megabyte of %j',
    async (piece) => {
      const long = piece.repeat(1_000_000 / piece.length)
      const longest = piece.repeat(Math.floor(900 / piece.length))
      const texts = [long, longest, `${longest}@b.example`, `a@${longest}`, `${longest} <a@b.example>`]
      const spentMs = await leastCpuMs(() => texts.forEach((text) => void parseMailbox(text)), 200)
      expect(spentMs).toBeLessThan(200)
    },
  )
})

describe('canonicalDomain', () => {
  it.each([
    'localhost',
    '[127.0.0.1]',
    '127.0.0.1',
    '０x7f.1',
    '1.2',
    'b_c.example',
    'b.example.',
    '.example',
    'b..example',
    '-b.example',
    'b-.example',
    'b%41.example',
    'b/c.example',
    'b c.example',
    'a℀b.example',
    'xn--\u00fc.example',
    'd.'.repeat(127),
  ])('refuses %.40j', (text) => expect(canonicalDomain(text)).toEqual({ problem: expect.any(String) }))
})
