import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RECORD_KINDS, type RecordAnswer, type RecordKind, type WantedRecord } from '../../../../src/mail/record-types.ts'
import { compareRecordAnswer, FOUND_LENGTH_MAX, FOUND_VALUES_MAX } from '../../../../src/modules/domains/records/record-check.ts'

const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxyz+/QIDAQAB'

const WANTED: Record<RecordKind, WantedRecord> = {
  ReturnPathMX: wanted('ReturnPathMX', 'MX', 'send.example.com', 'mx.posthaste.example'),
  SPF: wanted('SPF', 'TXT', 'send.example.com', 'v=spf1 include:spf.posthaste.example ~all'),
  DKIM: wanted('DKIM', 'TXT', 'ph1._domainkey.example.com', `v=DKIM1; k=rsa; p=${KEY}`),
  DKIMEd25519: wanted(
    'DKIMEd25519',
    'TXT',
    'ph1e._domainkey.example.com',
    'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  ),
  DMARC: wanted('DMARC', 'TXT', '_dmarc.example.com', 'v=DMARC1; p=none'),
  Tracking: wanted('Tracking', 'CNAME', 'links.example.com', 'track.posthaste.example'),
  TrackingCAA: wanted('TrackingCAA', 'CAA', 'example.com', '0 issue "letsencrypt.org"'),
  Receiving: wanted('Receiving', 'MX', 'example.com', 'mx.posthaste.example'),
}

function wanted(kind: RecordKind, type: WantedRecord['type'], host: string, value: string): WantedRecord {
  return { kind, type, host, value, priority: type === 'MX' ? 10 : null, isRecommended: false }
}

const records = (...values: string[]): RecordAnswer => ({ kind: 'records', values })
const judge = (kind: RecordKind, ...values: string[]) => compareRecordAnswer(WANTED[kind], records(...values))
const RIGHT = { verdict: 'right', found: [] }

describe('an answer', () => {
  it.each([...RECORD_KINDS])('that did not come says nothing about %s', (kind) => {
    expect(compareRecordAnswer(WANTED[kind], { kind: 'unanswered', reason: 'SERVFAIL' })).toEqual({ verdict: 'unknown', found: [] })
  })

  it.each(RECORD_KINDS.filter((kind) => kind !== 'TrackingCAA'))('without records is not %s', (kind) => {
    expect(compareRecordAnswer(WANTED[kind], { kind: 'absent' })).toEqual({ verdict: 'absent', found: [] })
    expect(compareRecordAnswer(WANTED[kind], records())).toEqual({ verdict: 'absent', found: [] })
  })

  it.each([...RECORD_KINDS])('with the wanted value is %s', (kind) => {
    const { type, value } = WANTED[kind]
    expect(judge(kind, type === 'MX' ? `10 ${value}` : value)).toEqual(RIGHT)
  })

  it('without records at the end of an alias shows the alias', () => {
    expect(compareRecordAnswer(WANTED.SPF, { kind: 'absent', alias: 'parked.example' })).toEqual({
      verdict: 'other',
      found: ['CNAME parked.example'],
    })
  })
})

describe.each(['ReturnPathMX', 'Receiving'] as const)('%s', (kind) => {
  it.each([
    ['with another priority', ['0 mx.posthaste.example']],
    ['in another case, with a dot at the end', ['10 MX.Posthaste.EXAMPLE.']],
    ['before a server that is only asked when ours does not answer', ['20 backup.example', '10 mx.posthaste.example']],
    ['twice', ['20 mx.posthaste.example', '10 mx.posthaste.example']],
  ])('is right %s', (_, values) => {
    expect(judge(kind, ...values)).toEqual(RIGHT)
  })

  it.each([
    ['names another server', ['10 mx.other.example']],
    ['names another server first', ['5 mx.other.example', '10 mx.posthaste.example']],
    ['names another server with the same priority', ['10 mx.posthaste.example', '10 mx.other.example']],
    ['names a host under ours', ['10 a.mx.posthaste.example']],
    ['names the root (RFC 7505)', ['0 ']],
    ['is no record', ['mx', '', '10', '999999 mx.posthaste.example']],
  ])('is another if it %s', (_, values) => {
    expect(judge(kind, ...values)).toEqual({ verdict: 'other', found: values })
  })
})

describe('SPF', () => {
  it.each([
    ['v=spf1 include:spf.posthaste.example -all'],
    ['v=spf1 include:spf.posthaste.example'],
    ['v=spf1 +include:SPF.Posthaste.Example. ?all'],
    [
      'V=SPF1  include:_spf.other.example ip4:192.0.2.1 a mx ptr exists:%{i1r-/}.example include:spf.posthaste.example exp=why.example +all ',
    ],
    ['v=spf1 redirect=spf.posthaste.example'],
  ])('is right as %s', (value) => {
    expect(judge('SPF', value)).toEqual(RIGHT)
  })

  it('is right beside TXT records of other purposes', () => {
    expect(judge('SPF', 'site-verification=abc', WANTED.SPF.value, 'v=spf10 x', 'v=spf1x')).toEqual(RIGHT)
  })

  it.each([
    ['v=spf1 include:_spf.other.example ~all'],
    ['v=spf1 -all include:spf.posthaste.example'],
    ['v=spf1 -include:spf.posthaste.example ~all'],
    ['v=spf1 ?include:spf.posthaste.example ~all'],
    ['v=spf1 redirect=spf.posthaste.example ~all'],
    // An error anywhere in the record makes it void (RFC 7208, section 4.6).
    ['v=spf1 inlcude:other.example include:spf.posthaste.example ~all'],
    ['v=spf1 include:spf.posthaste.example, ~all'],
    ['v=spf1 include include:spf.posthaste.example ~all'],
    ['v=spf1 ip4: include:spf.posthaste.example ~all'],
    ['v=spf1'],
    ['v=spf1\tinclude:spf.posthaste.example'],
    ['"v=spf1 include:spf.posthaste.example ~all"'],
    [''],
  ])('is another as %j', (value) => {
    expect(judge('SPF', value)).toEqual({ verdict: 'other', found: [value.replace('\t', ' ')] })
  })

  it('is another when there are two, and shows only these', () => {
    const two = [WANTED.SPF.value, 'V=spf1 -all']
    expect(judge('SPF', 'unrelated', ...two)).toEqual({ verdict: 'other', found: two })
  })

  it('shows the other TXT records when there is none', () => {
    expect(judge('SPF', 'site-verification=abc', 'spf1 include:x')).toEqual({
      verdict: 'other',
      found: ['site-verification=abc', 'spf1 include:x'],
    })
  })

  it.each([
    ['ip4:192.0.2.7', 'ip4:192.0.2.7/32', true],
    ['ip4:192.0.2.7', 'ip4:192.0.2.0/24', true],
    ['ip4:192.0.2.0/25', 'ip4:192.0.2.0/24', true],
    ['ip4:192.0.2.0/24', 'ip4:192.0.2.0/25', false],
    ['ip4:192.0.2.7', 'ip4:192.0.2.8', false],
    ['ip4:192.0.2.7', 'ip6:::ffff:192.0.2.7', false],
    ['ip4:192.0.2.7', 'ip4:192.0.2.7/33', false],
    ['ip4:192.0.2.7', 'ip4:192.0.2', false],
    ['ip6:2001:db8::1', 'ip6:2001:DB8:0:0:0:0:0:1', true],
    ['ip6:2001:db8::1', 'ip6:2001:db8::/32', true],
    ['ip6:2001:db8::1', 'ip6:2001:db9::/32', false],
    ['ip4:192.0.2.7 ip6:2001:db8::1', 'ip6:2001:db8::1 ip4:192.0.2.7', true],
    ['ip4:192.0.2.7 ip6:2001:db8::1', 'ip4:192.0.2.7', false],
    ['mx', 'mx', true],
    ['mx', 'mx:send.example.com', true],
    ['mx', 'mx/24', true],
    ['mx/24', 'mx', false],
    ['mx', 'a', false],
    ['a:mail.posthaste.example', 'a:MAIL.posthaste.example.', true],
    ['a:mail.posthaste.example', 'a', false],
    ['a:mail.posthaste.example', 'mx:mail.posthaste.example', false],
  ])('that has to name %s: %s does so: %s', (needs, names, isRight) => {
    const { verdict } = compareRecordAnswer({ ...WANTED.SPF, value: `v=spf1 ${needs} ~all` }, records(`v=spf1 ${names} -all`))
    expect(verdict).toBe(isRight ? 'right' : 'other')
  })
})

describe('a DKIM key', () => {
  it.each([
    [`p=${KEY}`],
    [`v=DKIM1;k=rsa;p=${KEY};`],
    [` v = DKIM1 ; p = ${KEY.slice(0, 10)} \r\n ${KEY.slice(10)} ; n = our key; k=rsa; t=s:y; h=sha1 : sha256; s=email; x= `],
  ])('is right as %j', (value) => {
    expect(judge('DKIM', value)).toEqual(RIGHT)
  })

  it.each([
    ['is revoked', 'v=DKIM1; k=rsa; p='],
    ['is another', `v=DKIM1; k=rsa; p=${KEY}A`],
    ['is in another case', `v=DKIM1; k=rsa; p=${KEY.toLowerCase()}`],
    ['is of another kind', `v=DKIM1; k=ed25519; p=${KEY}`],
    ['is of another version', `v=DKIM2; k=rsa; p=${KEY}`],
    ['has its version at the end', `k=rsa; p=${KEY}; v=DKIM1`],
    ['is not for our hash', `v=DKIM1; h=sha1; p=${KEY}`],
    ['is not for email', `v=DKIM1; s=other; p=${KEY}`],
    ['is there twice', `p=${KEY}; p=${KEY}`],
    ['has no tag', KEY],
    ['is in double quotes', `"v=DKIM1; k=rsa; p=${KEY}"`],
    ['has backslashes', `v=DKIM1\\; k=rsa\\; p=${KEY}`],
  ])('is another if it %s', (_, value) => {
    expect(judge('DKIM', value)).toEqual({ verdict: 'other', found: [value] })
  })

  it('is another if there is a second record, which a receiver may take instead', () => {
    expect(judge('DKIM', WANTED.DKIM.value, 'p=other')).toEqual({ verdict: 'other', found: [WANTED.DKIM.value, 'p=other'] })
  })
})

describe('DMARC', () => {
  it.each([
    ['v=DMARC1; p=reject; rua=mailto:reports@example.net; pct=50'],
    ['v=DMARC1;p=Quarantine'],
    ['v = DMARC1 ; sp=none ; p = none;'],
    ['v=DMARC1; rua=mailto:reports@example.net'],
  ])('is right as %j', (value) => {
    expect(judge('DMARC', value, 'unrelated')).toEqual(RIGHT)
  })

  it.each([
    ['v=DMARC1'],
    ['v=DMARC1; p=all'],
    ['v=dmarc1; p=none'],
    ['p=none; v=DMARC1'],
    ['v=DMARC1; p=none; p=reject'],
    ['v=DMARC12; p=none'],
  ])('is another as %j', (value) => {
    expect(judge('DMARC', value)).toEqual({ verdict: 'other', found: [value] })
  })

  it('is another when there are two', () => {
    const two = ['v=DMARC1; p=none', 'v=DMARC1; p=reject']
    expect(judge('DMARC', ...two, 'unrelated')).toEqual({ verdict: 'other', found: two })
  })
})

describe('the alias of the tracking host', () => {
  it('is right in any case, with a dot at the end', () => {
    expect(judge('Tracking', 'Track.POSTHASTE.example.')).toEqual(RIGHT)
  })

  it.each([[['other.example']], [['track.posthaste.example', 'other.example']], [['posthaste.example']]])('is another as %j', (values) => {
    expect(judge('Tracking', ...values)).toEqual({ verdict: 'other', found: values })
  })
})

describe('CAA', () => {
  it.each([
    [['0 issue "LetsEncrypt.org"']],
    [['0 issue "letsencrypt.org; note=x"']],
    [['128 issue " letsencrypt.org "', '0 issue "other.example"']],
    [['0 ISSUE ";"', '0 issue "letsencrypt.org"']],
    // They are about something else.
    [['0 iodef "mailto:security@example.com"']],
    [['0 issuewild ";"', '0 unknown "x"']],
  ])('%j lets our authority issue certificates', (values) => {
    expect(judge('TrackingCAA', ...values)).toEqual(RIGHT)
  })

  it.each([
    [['0 issue "other.example"']],
    [['0 issue ";"']],
    [['0 issue ""']],
    [['0 issuewild "letsencrypt.org"', '0 issue "other.example"']],
    [['0 issue "letsencrypt.org; accounturi=https://acme.example/1"']],
    [['0 issue "letsencrypt.org;validationmethods = dns-01"']],
    [['0 issue "letsencrypt.org"', '128 unknown "x"']],
  ])('%j does not', (values) => {
    expect(judge('TrackingCAA', ...values)).toEqual({ verdict: 'other', found: values })
  })

  it('that is absent permits every authority', () => {
    expect(compareRecordAnswer(WANTED.TrackingCAA, { kind: 'absent' })).toEqual(RIGHT)
  })
})

describe('what was found', () => {
  it('is bounded', () => {
    const { found } = judge('DKIM', ...Array.from({ length: 1_000 }, (_, index) => `${index} `.repeat(10_000)))
    expect(found.length).toBe(FOUND_VALUES_MAX)
    for (const value of found) expect(value.length).toBe(FOUND_LENGTH_MAX + '...'.length)
  })

  it('has no character that a page or a terminal obeys, and nothing that the database refuses', () => {
    expect(judge('DKIM', 'a\0\u001b[31m\u202eb\ud800')).toEqual({ verdict: 'other', found: ['a  [31m b\ufffd'] })
  })

  it('of any text is safe, and no text makes a judge throw', () => {
    const piece = fc.constantFrom(
      'v=spf1 ',
      'v=DKIM1;',
      'v=DMARC1;',
      'p=',
      ';',
      ' ',
      'include:',
      'ip4:',
      'ip6:',
      '/',
      ':',
      '0 issue "',
      '"',
      '10 ',
      '.',
      'all',
      '\0',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))).map((pieces) => pieces.join('')),
    )
    const kind = fc.constantFrom(...RECORD_KINDS)
    fc.assert(
      fc.property(kind, fc.array(text), text, (one, values, value) => {
        const { verdict, found } = compareRecordAnswer({ ...WANTED[one], value }, records(...values))
        expect(['right', 'absent', 'other']).toContain(verdict)
        expect(found.length > 0).toBe(verdict === 'other')
        for (const each of found) expect(each).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u)
      }),
      { numRuns: 500 },
    )
  })
})
