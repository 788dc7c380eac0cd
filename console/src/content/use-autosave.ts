// Saves by itself while someone writes, and stops once someone else has changed the same.
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { sentenceOf } from '../api/acts'
import { ApiError } from '../api/client'
import { queryClient } from '../api/queries'

const TYPING_MS = 2_000
const CHANGED_MEANWHILE = 409

export type Autosave = {
  state: 'saved' | 'unsaved' | 'saving' | 'failed' | 'changed meanwhile'
  savedAt: Date | null
  /** What the API said to the last one that failed. */
  problem: string | null
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
  /** Fields that are saved by intent only, as they were read. */
  notSaved?: Partial<Values>
}

export function useAutosave<Values>({ form, version: first, isOn, save, saveCopy, notSaved = {} }: AutosaveOptions<Values>): Autosave {
  const [state, setState] = useState<Autosave['state']>('saved')
  const [savedAt, setSavedAt] = useState<Date | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
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
      setProblem(null)
      setSavedAt(new Date())
      setState('saved')
      for (const section of ['templates', 'broadcasts']) void queryClient.invalidateQueries({ queryKey: [section], refetchType: 'none' })
    } catch (error) {
      refuse(error as Error)
    }
  }
  const refuse = (error: Error) => {
    isStopped.current = error instanceof ApiError && error.status === CHANGED_MEANWHILE
    setProblem(sentenceOf(error))
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
    problem,
    tryAgain: () => void begin('mine'),
    keepMine: () => void begin('any'),
    copyMine: () => void saveCopy(form.getValues()).catch((error: Error) => setProblem(sentenceOf(error))),
    byIntent: async (saveByIntent) => {
      soon.cancel()
      await running.current
      try {
        return await saveByIntent(version.current)
      } catch (error) {
        refuse(error as Error)
        throw error
      }
    },
  }
}
