import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contactAddress, partOfContactAddress } from '../../src/mail/address-forms.ts'

describe('a part of an address, in the form of contacts', () => {
  it.each([
    ['', ''],
    ['@', '@'],
    ['Ada', 'ada'],
    ['@Example.COM', '@example.com'],
    ['@münchen.example', '@xn--mnchen-3ya.example'],
    ['@münchen.', '@xn--mnchen-3ya.'],
    ['.MÜNCHEN.example', '.xn--mnchen-3ya.example'],
    ['a@b@münchen.example', 'a@b@xn--mnchen-3ya.example'],
    ['ö@münchen.example', 'ö@xn--mnchen-3ya.example'],
    ['@XN--MNCHEN-3YA.example', '@xn--mnchen-3ya.example'],
    ['@münchen.50%', '@münchen.50%'],
    ['@１２', '@１２'],
    ['@münchen..example', '@xn--mnchen-3ya..example'],
    ['@ü ü', '@ü ü'],
  ])('%j is %j', (text, part) => expect(partOfContactAddress(text)).toBe(part))

  it('is found in the address, from wherever to wherever whole labels are taken', () => {
    const label = fc.stringMatching(/^[a-zßäöüéñ日本]{1,8}$/u)
    const address = fc.tuple(fc.stringMatching(/^[A-Za-z]{1,5}$/), fc.array(label, { minLength: 2, maxLength: 4 }))
    fc.assert(
      fc.property(address, fc.nat(4), fc.nat(4), ([local, labels], from, length) => {
        const kept = contactAddress(`${local}@${labels.join('.')}`)
        const part = labels.slice(from, from + length + 1).join('.')
        expect(kept).toContain(partOfContactAddress(from === 0 ? `${local}@${part}` : part))
      }),
    )
  })

  it('stays as it is once it has that form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const part = partOfContactAddress(text)
        expect(partOfContactAddress(part)).toBe(part)
      }),
    )
  })
})
