import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDomainName } from '../../src/mail/domain-names.ts'
import { relativeName } from '../../src/modules/domains/records/wanted-records.ts'

const refusedNames = ['mail.posthaste.example', 'simulator.test']
const read = (text: string) => parseDomainName(text, { refusedNames })

const labels = (length: number) => `${'a'.repeat(61)}.`.repeat(4).slice(0, length - '.example.com'.length)

describe('the name of a domain', () => {
  it.each([
    ['example.com', 'example.com', 'example.com'],
    ['  Mail.EXAMPLE.com.\n', 'mail.example.com', 'example.com'],
    ['a.b.example.co.uk', 'a.b.example.co.uk', 'example.co.uk'],
    ['bücher.example.com', 'xn--bcher-kva.example.com', 'example.com'],
    ['Bücher.de', 'xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['例子.中国', 'xn--fsqu00a.xn--fiqs8s', 'xn--fsqu00a.xn--fiqs8s'],
    ['mail。example。com', 'mail.example.com', 'example.com'],
    ['acme.github.io', 'acme.github.io', 'acme.github.io'],
    ['mail.acme.github.io', 'mail.acme.github.io', 'acme.github.io'],
    // A suffix that is not in the list of public suffixes: DNS servers of one's own.
    ['mail.example.internal', 'mail.example.internal', 'example.internal'],
    ['posthaste.example', 'posthaste.example', 'posthaste.example'],
    ['other.mail.posthaste.example', 'other.mail.posthaste.example', 'posthaste.example'],
    [`${labels(253)}.example.com`, `${labels(253)}.example.com`, 'example.com'],
  ])('%j is %s under %s', (text, name, root) => {
    expect(read(text)).toEqual({ name, root })
  })

  const ADDRESS = 'must name a domain: an IP address is not accepted'
  const MALFORMED = 'has a domain that is not valid: it is made of letters, digits and hyphens, such as `example.com`'
  const SUFFIX = 'must be a registered domain, such as `example.com`, not a public suffix such as `co.uk`'
  const URL = 'must be a domain alone, such as `example.com`, without a scheme, a port or a path'
  const WILDCARD = 'must name one domain, such as `example.com`: a wildcard is not accepted'
  const OURS = 'must be a domain of your own: this is a name of this server'
  const LONG = 'may not be longer than 253 characters'

  it.each([
    ['', 'must name a domain, such as `example.com`'],
    [' . ', 'must name a domain, such as `example.com`'],
    ['localhost', 'must have a full domain such as `example.com`, not a host name alone'],
    ['com', 'must have a full domain such as `example.com`, not a host name alone'],
    ['co.uk', SUFFIX],
    ['github.io', SUFFIX],
    ['公司.cn', SUFFIX],
    ['*.example.com', WILDCARD],
    ['192.0.2.1', ADDRESS],
    ['[192.0.2.1]', 'must name a domain: an IP address in brackets is not accepted'],
    ['2001:db8::1', ADDRESS],
    ['[2001:db8::1]', ADDRESS],
    ['me@example.com', 'must be a domain alone, such as `example.com`, not an email address'],
    ['https://example.com', URL],
    ['example.com:25', URL],
    ['example.com/mail', URL],
    ['example..com', MALFORMED],
    ['.example.com', MALFORMED],
    ['example.com..', MALFORMED],
    ['-a.example.com', MALFORMED],
    ['a_b.example.com', MALFORMED],
    ['xn--a-.example.com', MALFORMED],
    ['exa mple.com', MALFORMED],
    ['example.com\0', MALFORMED],
    [`${'a'.repeat(64)}.example.com`, MALFORMED],
    ['MAIL.posthaste.example', OURS],
    ['simulator.test.', OURS],
    [`${labels(254)}.example.com`, LONG],
    [`${'a.'.repeat(500_000)}com`, LONG],
  ])('may not be %j', (text, problem) => {
    expect(read(text)).toEqual({ problem })
  })

  it('is read once and for all, whatever the text is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.domain(), fc.webUrl(), fc.ipV6()), (text) => {
        const parsed = read(text)
        if ('problem' in parsed) return
        expect(read(parsed.name)).toEqual(parsed)
        expect(parsed.name.length).toBeLessThanOrEqual(253)
        expect(`.${parsed.name}`.endsWith(`.${parsed.root}`)).toBe(true)
        expect(read(parsed.root)).not.toHaveProperty('problem', SUFFIX)
      }),
    )
  })
})

describe('the name of a record within the registered domain', () => {
  it.each([
    ['send.mail.example.com', 'send.mail'],
    ['_dmarc.example.com', '_dmarc'],
    ['example.com', '@'],
    // Not under it: nothing can be left out.
    ['notexample.com', 'notexample.com'],
    ['links.example.net', 'links.example.net'],
  ])('of %s is %s', (host, name) => {
    expect(relativeName(host, 'example.com')).toBe(name)
  })
})
