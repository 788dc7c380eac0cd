// Which addresses a contact can have, in which form they are stored, and how a path names a contact by its address.
import { describe, expect, it } from 'vitest'
import { quotedValue } from '../../../../src/lib/problem.ts'
import { failure, invalid, missing, outcome } from '../../../support/builders/answers.ts'
import { createContact, readContact } from '../../../support/builders/contacts.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

const LABEL = 'x'.repeat(63)
const LOCAL = 'l'.repeat(64)

describe('a contact can have the address', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    [' ada@example.com ', 'ada@example.com'],
    ["O'Brien+tag=x%y/z@example.com", "o'brien+tag=x%y/z@example.com"],
    ['"Quoted"@example.com', 'quoted@example.com'],
    ['"a <b>, c"@example.com', '"a <b>, c"@example.com'],
    ['A@BÜCHER.example', 'a@xn--bcher-kva.example'],
    ['a@XN--BCHER-KVA.example', 'a@xn--bcher-kva.example'],
    [`${LOCAL}@example.com`, `${LOCAL}@example.com`],
    [`${LOCAL}@${LABEL}.${LABEL}.${'y'.repeat(57)}.com`, `${LOCAL}@${LABEL}.${LABEL}.${'y'.repeat(57)}.com`],
  ])('%j', async (email, kept) => {
    const id = await createContact(service, { email })
    expect((await readContact(service, id)).email).toBe(kept)
    expect((await readContact(service, email)).id).toBe(id)
    expect((await readContact(service, kept)).id).toBe(id)
  })
})

const MALFORMED_DOMAIN = 'has a domain that is not valid: it is made of letters, digits, hyphens and underscores, such as `example.com`'
const MALFORMED_LOCAL = 'must be an address such as `name@example.com`; the part before the `@` is not valid'
const CONTROL = 'may not hold line breaks or other control characters'
const ALONE = 'must be an address alone, such as `name@example.com`: names have fields of their own'

describe('a contact cannot have the address', () => {
  it.each([
    ['', 'must hold an address: `name@example.com`'],
    ['ada', 'must be an address such as `name@example.com`'],
    ['@example.com', MALFORMED_LOCAL],
    ['a b@example.com', MALFORMED_LOCAL],
    ['mailto:a@example.com', MALFORMED_LOCAL],
    ['a(comment)@example.com', MALFORMED_LOCAL],
    ['group: a@example.com', MALFORMED_LOCAL],
    ['"not closed@example.com', 'has a double quote that is not closed'],
    ['Ada <ada@example.com>', ALONE],
    ['"Ada" <ada@example.com>', ALONE],
    ['<ada@example.com>', ALONE],
    ['a@example.com,b@example.com', 'must be one address, not several'],
    ['a@example.com; b@example.com', 'must be one address, not several'],
    ['a@', MALFORMED_DOMAIN],
    ['a@@example.com', MALFORMED_DOMAIN],
    ['a@b@example.com', MALFORMED_DOMAIN],
    ['a@example..com', MALFORMED_DOMAIN],
    ['a@example.com.', MALFORMED_DOMAIN],
    ['a@-example.com', MALFORMED_DOMAIN],
    ['a@exa mple.com', MALFORMED_DOMAIN],
    [`a@${'y'.repeat(64)}.com`, MALFORMED_DOMAIN],
    [`a@${LABEL}.${LABEL}.${LABEL}.${LABEL}`, MALFORMED_DOMAIN],
    ['a@localhost', 'must have a full domain such as `example.com`, not a host name alone'],
    ['a@127.0.0.1', 'must name a domain: an IP address is not accepted'],
    ['a@[127.0.0.1]', 'must name a domain: an IP address in brackets is not accepted'],
    ['a@[IPv6:::1]', 'must name a domain: an IP address in brackets is not accepted'],
    ['ä@example.com', 'has characters before the `@` that are not ASCII: most mail servers do not take such an address'],
    ['a\n@example.com', CONTROL],
    ['a@example.com\r\nBcc: b@example.com', CONTROL],
    ['a\u0085@example.com', CONTROL],
    ['a\u202e@example.com', CONTROL],
    [`${LOCAL}l@example.com`, 'has more than 64 characters before the `@`'],
    [`${LOCAL}@${LABEL}.${LABEL}.${'y'.repeat(58)}.com`, 'has an address of more than 254 characters'],
  ])('%j', async (email, problem) => {
    const answer = await service.call('POST', '/contacts', { body: { email } })
    expect(outcome(answer)).toEqual(invalid(`The \`email\` field ${problem}.${quotedValue(email)}`))
  })

  it('of more than 998 characters', async () => {
    const answer = await service.call('POST', '/contacts', { body: { email: `${'x'.repeat(990)}@example.com` } })
    expect(outcome(answer)).toEqual(invalid('The `email` field must have at most 998 characters.'))
  })
})

describe('a path names a contact', () => {
  it.each([
    ['path+tag@example.com', ['path+tag@example.com', 'path%2Btag%40example.com', 'PATH+TAG@EXAMPLE.COM', 'path+tag%40example.com']],
    ['path@bücher.example', ['path@b%C3%BCcher.example', 'path@xn--bcher-kva.example', 'PATH@XN--BCHER-KVA.EXAMPLE']],
    ['pa/th@example.com', ['pa%2Fth@example.com', 'PA%2FTH%40example.com']],
    ['pa?th#x@example.com', ['pa%3Fth%23x@example.com']],
    ['pa%40th@example.com', ['pa%2540th@example.com']],
    ['"pa th"@example.com', ['%22pa%20th%22@example.com']],
  ])('by %j', async (email, paths) => {
    const id = await createContact(service, { email })
    for (const path of [...paths, id, id.toUpperCase()]) {
      const answer = await service.call('GET', `/contacts/${path}`)
      expect({ path, status: answer.status, id: (answer.body as { id: string }).id }).toEqual({ path, status: 200, id })
    }
  })

  it.each(['nobody@example.com', 'not-an-address', 'a%0A@example.com', '%C3%BC@example.com', '-', '%20'])('not by %j', async (path) => {
    expect(outcome(await service.call('GET', `/contacts/${path}`))).toEqual(missing('Contact'))
  })

  it('not by what is no path, or too long for one', async () => {
    const malformed = 'The path of the request is not a valid URL path.'
    expect(outcome(await service.call('GET', '/contacts/%zz'))).toEqual(invalid(malformed))
    expect(outcome(await service.call('GET', '/contacts/%C3%28@example.com'))).toEqual(invalid(malformed))
    expect(outcome(await service.call('GET', '/contacts/%00'))).toEqual(
      invalid('The `contact_id` parameter holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.'),
    )
    expect(outcome(await service.call('GET', `/contacts/${'x'.repeat(3_000)}`))).toEqual(
      failure(404, 'not_found', 'No record has an id of this length.'),
    )
  })
})
