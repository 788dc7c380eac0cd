// Messages with one ARC set (RFC 8617). A test can change its tags before they are signed.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { publicKeyText } from '../../../../src/lib/crypto/keys.ts'
import { authenticateMessage, type Origin } from '../../../../src/modules/inbound/content/verdicts.ts'
import { keyNameOf, keyRecord, signed, testKeyRecord } from '../../../support/builders/returned-mail.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')

const ARC_SIGNER = 'list.example'
const arcKeyName = `arc._domainkey.${ARC_SIGNER}`
const arcKeyRecord = `v=DKIM1; k=ed25519; p=${publicKeyText(publicKey)}`

const COMMON = `i=1; a=ed25519-sha256; d=${ARC_SIGNER}; s=arc`
const RESULTS = 'ARC-Authentication-Results: i=1; mx.example.com; spf=pass'

type Changes = {
  /** Changes the tags of ARC-Message-Signature. */
  message?: (tags: string) => string
  /** Changes the tags of ARC-Seal. */
  seal?: (tags: string) => string
}

const unchanged = (tags: string) => tags

/** `message`: a head with `From`, `To` and `Subject`, each in one line, and a body that ends with one line break. */
function withArcSet(message: string, { message: changeMessage = unchanged, seal: changeSeal = unchanged }: Changes = {}): string {
  const [head = '', body = ''] = message.split('\r\n\r\n')
  const bodyHash = createHash('sha256').update(body).digest('base64')
  const names = ['from', 'to', 'subject']
  const covered = names.map((name) => String(head.split('\r\n').find((line) => line.toLowerCase().startsWith(`${name}:`))))
  const tags = changeMessage(`${COMMON}; c=relaxed/relaxed; h=${names.join(':')}; bh=${bodyHash}; b=`)
  const isEmptyList = /[hH]= ?;/.test(tags)
  const messageSignature = signedField(`ARC-Message-Signature: ${tags}`, isEmptyList ? [] : covered)
  const seal = signedField(`ARC-Seal: ${changeSeal(`${COMMON}; t=1700000000; cv=none; b=`)}`, [RESULTS, messageSignature])
  return [seal, messageSignature, RESULTS, message].join('\r\n')
}

function signedField(unsigned: string, before: readonly string[]): string {
  const canonical = [...before, unsigned].map(relaxed).join('\r\n')
  return `${unsigned}${sign(null, createHash('sha256').update(canonical).digest(), privateKey).toString('base64')}`
}

/** RFC 6376, section 3.4.2. */
function relaxed(line: string): string {
  const colon = line.indexOf(':')
  return `${line.slice(0, colon).toLowerCase()}:${line
    .slice(colon + 1)
    .replaceAll(/\s+/g, ' ')
    .trim()}`
}

const MESSAGE = 'From: ada@sender.example\r\nTo: b@example.com\r\nSubject: Hi\r\n\r\nHello\r\n'
const ORIGIN: Origin = { peer: '192.0.2.1', helo: 'mx.sender.example', mailFrom: 'ada@sender.example' }
const ELSEWHERE: Origin = { ...ORIGIN, peer: '198.51.100.1' }
const REJECT = { '_dmarc.sender.example': { TXT: ['v=DMARC1; p=reject'] } }
const SPF = { 'sender.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] } }
const KEY = { [keyNameOf('sender.example')]: keyRecord }
/** A name without an answer. */
const SILENT = 'ETIMEOUT'
const BROKEN = 'ESERVFAIL'

type Zone = Record<string, string | Record<string, string[]>>

function verdictsOn(message: string, zone: Zone, origin = ORIGIN) {
  const known = new Map(Object.entries(zone).map(([name, records]) => [name.toLowerCase(), records]))
  return authenticateMessage(
    Readable.from([Buffer.from(message)]),
    { ...origin, shownFrom: 'ada@sender.example' },
    {
      async resolve(name, type) {
        const records = known.get(name.toLowerCase())
        if (typeof records === 'string') throw Object.assign(new Error(records), { code: records })
        const found = records?.[type]
        if (found === undefined) throw Object.assign(new Error('No such record'), { code: 'ENOTFOUND' })
        return type === 'TXT' ? found.map((text) => [text]) : found
      },
      ...{ mailHostname: 'mx.example.com', timeMsMax: 10_000, skipsArc: false },
    },
  )
}

const signedBySender = () => signed(MESSAGE, { domain: 'sender.example', fields: 'from:to:subject' })

describe('DMARC while the DNS does not answer', () => {
  it.each([SILENT, BROKEN])('has no verdict if the key of a signature is not answered: %s', async (fault) => {
    const verdicts = await verdictsOn(await signedBySender(), { ...SPF, ...REJECT, [keyNameOf('sender.example')]: fault }, ELSEWHERE)
    expect(verdicts).toEqual({ spf: 'fail', dkim: 'processing_failed', dmarc: 'processing_failed', arc: 'gray' })
  })

  it.each([SILENT, BROKEN])('has no verdict if the SPF record is not answered: %s', async (fault) => {
    expect(await verdictsOn(MESSAGE, { ...REJECT, 'sender.example': fault })).toEqual({
      ...{ spf: 'processing_failed', dkim: 'gray', dmarc: 'processing_failed', arc: 'gray' },
    })
  })

  it.each([SILENT, BROKEN])('has no verdict if an included SPF record is not answered: %s', async (fault) => {
    const zone = { ...REJECT, 'sender.example': { TXT: ['v=spf1 include:_spf.other.example -all'] }, '_spf.other.example': fault }
    expect(await verdictsOn(MESSAGE, zone)).toMatchObject({ spf: 'processing_failed', dmarc: 'processing_failed' })
  })

  it('has no verdict either if the policy asks for nothing', async () => {
    const zone = { '_dmarc.sender.example': { TXT: ['v=DMARC1; p=none'] }, 'sender.example': SILENT }
    expect(await verdictsOn(MESSAGE, zone)).toMatchObject({ dmarc: 'processing_failed' })
  })

  it('still fails if the missing answer could not have made it pass', async () => {
    const message = await signed(MESSAGE, { domain: 'other.example', fields: 'from:to:subject' })
    const zone = { ...SPF, ...REJECT, [keyNameOf('other.example')]: SILENT }
    expect(await verdictsOn(message, zone, ELSEWHERE)).toMatchObject({ dkim: 'processing_failed', dmarc: 'fail' })
  })

  it('still passes if something else made it pass', async () => {
    expect(await verdictsOn(await signedBySender(), { ...KEY, ...REJECT, 'sender.example': SILENT })).toMatchObject({
      ...{ spf: 'processing_failed', dkim: 'pass', dmarc: 'pass' },
    })
  })
})

describe('a signature of a domain that only tries whether signing works', () => {
  const zone = { ...SPF, ...REJECT, [keyNameOf('sender.example')]: testKeyRecord }

  it('does not count', async () => {
    expect(await verdictsOn(await signedBySender(), zone, ELSEWHERE)).toEqual({ spf: 'fail', dkim: 'gray', dmarc: 'fail', arc: 'gray' })
  })

  it.each([
    ['body', 'Hello', 'Hullo'],
    ['subject', 'Subject: Hi', 'Subject: Ho'],
  ])('is not held against a message whose %s was changed', async (_what, was, is) => {
    const changed = (await signedBySender()).replace(was, is)
    expect(await verdictsOn(changed, zone)).toEqual({ spf: 'pass', dkim: 'gray', dmarc: 'pass', arc: 'gray' })
  })
})

// Cases of the public suite for RFC 7208, with the results that it wants.
describe('SPF', () => {
  it.each([
    ['bare-ip6', { 'sender.example': { TXT: ['v=spf1 -all ip6'] } }, 'unknown'],
    ['exp-twice', { 'sender.example': { TXT: ['v=spf1 exp=a.example -all exp=b.example'] } }, 'unknown'],
    ['exp-only-macro-char', { 'sender.example': { TXT: ['v=spf1 -exists:%{r}.sender.example -all'] } }, 'unknown'],
    ['exp-syntax-error', { 'sender.example': { TXT: ['v=spf1 exp=- ?all'] } }, 'unknown'],
    ['invalid-hello-macro', { 'sender.example': { TXT: ['v=spf1 a:%{h} -all'] } }, 'fail', "JUMPIN' JUPITER"],
    ['hello-domain-literal', { 'sender.example': { TXT: ['v=spf1 a:%{h} -all'] } }, 'fail', '[192.0.2.1]'],
    [
      'require-valid-helo',
      {
        'sender.example': { TXT: ['v=spf1 -exists:%{h}.wrong.example redirect=allow.example'] },
        'allow.example': { TXT: ['v=spf1 a:%{h} -all'] },
      },
      ...(['fail', 'OEMCOMPUTER'] as const),
    ],
  ])('answers %s', async (_name, zone, spf, helo = 'mx.sender.example') => {
    expect(await verdictsOn(MESSAGE, zone as unknown as Zone, { ...ORIGIN, helo })).toMatchObject({ spf })
  })
})

describe('an ARC set', () => {
  const zone = { [arcKeyName]: { TXT: [arcKeyRecord] } }

  it('passes if it is well formed', async () => {
    expect(await verdictsOn(withArcSet(MESSAGE), zone)).toMatchObject({ arc: 'pass' })
  })

  it.each([
    ['no field that is signed', { message: (tags: string) => tags.replace('h=from:to:subject', 'h=') }],
    ['a tag twice in the message signature', { message: (tags: string) => tags.replace('; s=arc', '; s=arc; s=arc') }],
    ['a tag twice in the seal', { seal: (tags: string) => tags.replace('; s=arc', '; s=arc; s=arc') }],
    ['a tag with an invalid name', { seal: (tags: string) => tags.replace('; s=arc', '; s=arc; _x=1') }],
    ['a tag in capitals in the message signature', { message: (tags: string) => tags.replace('; d=', '; D=') }],
    ['a tag in capitals in the seal', { seal: (tags: string) => tags.replace('; s=', '; S=') }],
    ['a list of fields in the seal', { seal: (tags: string) => tags.replace('; t=', '; h=from; t=') }],
  ])('fails with %s', async (_what, changes) => {
    expect(await verdictsOn(withArcSet(MESSAGE, changes), zone)).toMatchObject({ arc: 'fail' })
  })

  it.each([SILENT, BROKEN])('has no verdict if its key is not answered: %s', async (fault) => {
    expect(await verdictsOn(withArcSet(MESSAGE), { [arcKeyName]: fault })).toMatchObject({ arc: 'processing_failed' })
  })
})
