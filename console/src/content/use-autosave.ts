// Saves by itself while someone writes, and stops once someone else has changed the same.
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/client'
import { queryClient } from '../api/queries'
import { CHANGED_MEANWHILE } from './ChangedMeanwhile'

const TYPING_MS = 2_000

export type Autosave = {
  state: 'saved' | 'unsaved' | 'saving' | 'failed' | 'changed meanwhile'
  savedAt: Date | null
  /** Why the last one failed. */
  error: Error | null
  tryAgain: () => void
  /** Saves although someone else has changed it. */
  keepMine: () => void
  copyMine: () => void
  /** Saves by intent, once none is under way: `run` says that it has seen the version that it is given. */
  byIntent: <Output>(run: (expectedVersion: string) => Promise<Output>) => Promise<Output>
}

type AutosaveOptions<Values> = {
  form: UseFormReturnType<Values>
  /** The one that was read first. */
  version: string
  isOn: boolean
  /** Null expects any. */
  save: (values: Values, expectedVersion: string | null) => Promise<{ version?: string }>
  saveCopy: (values: Values) => Promise<void>
  /** The sections (the first part of a path) whose records have changed. */
  changes: readonly string[]
  /** Fields that are saved by intent only, as they were read. */
  notSaved?: Partial<Values>
}

export function useAutosave<Values>({
  form,
  version: first,
  isOn,
  save,
  saveCopy,
  changes,
  notSaved = {},
}: AutosaveOptions<Values>): Autosave {
  const [state, setState] = useState<Autosave['state']>('saved')
  const [savedAt, setSavedAt] = useState<Date | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const version = useRef(first)
  const running = useRef<Promise<void> | null>(null)
  const isStopped = useRef(false)

  const run = async (expected: string | null): Promise<void> => {
    const values = form.getValues()
    setState('saving')
    try {
      version.current = (await save(values, expected)).version ?? version.current
      isStopped.current = false
      // What was typed meanwhile is still to be saved.
      form.resetDirty({ ...values, ...notSaved })
      setError(null)
      setSavedAt(new Date())
      setState(form.getValues() === values ? 'saved' : 'unsaved')
      for (const section of changes) void queryClient.invalidateQueries({ queryKey: [section], refetchType: 'none' })
    } catch (refusal) {
      refuse(refusal as Error)
    }
  }
  const refuse = (refusal: Error) => {
    isStopped.current = refusal instanceof ApiError && refusal.status === CHANGED_MEANWHILE
    setError(refusal)
    setState(isStopped.current ? 'changed meanwhile' : 'failed')
  }
  // Which version is the last is known once the one before is done.
  const begin = (expected: 'mine' | 'any') => {
    running.current = (running.current ?? Promise.resolve()).then(() => run(expected === 'mine' ? version.current : null))
    return running.current
  }
  const soon = useDebouncedCallback(() => {
    if (isOn && form.isDirty() && !isStopped.current) void begin('mine')
  }, TYPING_MS)

  const { values } = form
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of what is typed, and nothing else
  useEffect(() => {
    if (!form.isDirty() || isStopped.current) return
    setState('unsaved')
    soon()
  }, [values])

  return {
    state,
    savedAt,
    error,
    tryAgain: () => void begin('mine'),
    keepMine: () => void begin('any'),
    copyMine: () => void saveCopy(form.getValues()).catch(setError),
    byIntent: async (saveByIntent) => {
      soon.cancel()
      await running.current
      // What is typed meanwhile would be saved over a version that this one replaces.
      isStopped.current = true
      try {
        const saved = await saveByIntent(version.current)
        isStopped.current = false
        return saved
      } catch (refusal) {
        refuse(refusal as Error)
        throw refusal
      }
    },
  }
}
