// Keys that do something on the page that is shown, and what they do: the list of keys names those that work at the moment.
import { useHotkeys } from '@mantine/hooks'
import { useEffect, useId, useSyncExternalStore } from 'react'

/** `act` is left out for what the browser or a part does by itself. */
export type PageKey = { keys: string; what: string; act?: () => void }

let shown: ReadonlyMap<string, readonly PageKey[]> = new Map()
const listeners = new Set<() => void>()

function show(id: string, keys: readonly PageKey[] | null): void {
  const next = new Map(shown)
  if (keys === null) next.delete(id)
  else next.set(id, keys)
  shown = next
  for (const listener of listeners) listener()
}

/** They work while this part is on the page, outside of fields and dialogs. */
export function usePageKeys(keys: readonly PageKey[]): void {
  const id = useId()
  useHotkeys(keys.flatMap(({ keys: key, act }): [string, () => void][] => (act ? [[key, () => !isInDialog() && act()]] : [])))
  const words = keys.map(({ keys: key, what }) => `${key} ${what}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they do is named, and may be another function each time
  useEffect(() => {
    show(id, keys)
    return () => show(id, null)
  }, [id, words])
}

const isInDialog = (): boolean => document.querySelector('[role=dialog]') !== null

/** The keys of all parts that are shown, each once. */
export function useShownKeys(): PageKey[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
  return [...new Map([...all.values()].flat().map((key) => [`${key.keys} ${key.what}`, key])).values()]
}
