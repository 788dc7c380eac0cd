import { describe, expect, it } from 'vitest'
import {
  assertMainThreadWork,
  guardMainThread,
  holdsLongText,
  isLong,
  MAIN_THREAD_BYTES_MAX,
  shortBeginning,
} from '../../src/lib/main-thread.ts'

const AT_MOST = 'x'.repeat(MAIN_THREAD_BYTES_MAX)

describe('a long text', () => {
  it.each([
    [AT_MOST, false],
    [`${AT_MOST}x`, true],
    ['€'.repeat(MAIN_THREAD_BYTES_MAX / 3), false],
    ['€'.repeat(MAIN_THREAD_BYTES_MAX / 3 + 1), true],
  ])('has more than 64 KB in UTF-8', (text, expected) => expect(isLong(text)).toBe(expected))

  it('has a beginning of 64 KB that ends with a whole character', () => {
    expect(shortBeginning('x€'.repeat(MAIN_THREAD_BYTES_MAX))).toBe('x€'.repeat(MAIN_THREAD_BYTES_MAX / 4))
    expect(shortBeginning(AT_MOST)).toBe(AT_MOST)
  })

  it.each([
    [{ a: AT_MOST }, true],
    [{ list: Array.from({ length: 3 }, () => ({ a: AT_MOST.slice(0, 30_000) })) }, true],
    [{ list: Array.from({ length: 10_000 }, () => 1) }, true],
    [{ a: AT_MOST.slice(100), b: 1, c: null, d: true }, false],
  ])('is found among values, with their names', (values, expected) => expect(holdsLongText(values)).toBe(expected))

  it('is told of while a service runs on this thread, and not afterwards', () => {
    const told: Error[] = []
    const guard = guardMainThread((error) => told.push(error))
    assertMainThreadWork(AT_MOST)
    expect(told).toEqual([])
    assertMainThreadWork(`${AT_MOST}x`)
    guard.end()
    assertMainThreadWork(`${AT_MOST}x`)
    expect(told.map(({ message }) => message)).toEqual([expect.stringContaining('64 KB')])
  })
})
