// What was changed, one act after another, so that each can be taken back and done again.
import { useCallback, useReducer } from 'react'
import type { Graph } from '../graph'

type State = { past: readonly Graph[]; now: Graph; future: readonly Graph[]; what: string | null }
type Act = { kind: 'change'; graph: Graph; what: string | null } | { kind: 'undo' } | { kind: 'redo' }

const PAST_MAX = 200

function reduce({ past, now, future, what }: State, act: Act): State {
  if (act.kind === 'undo') {
    const last = past.at(-1)
    return last ? { past: past.slice(0, -1), now: last, future: [now, ...future], what: null } : { past, now, future, what }
  }
  if (act.kind === 'redo') {
    const [next, ...others] = future
    return next ? { past: [...past, now], now: next, future: others, what: null } : { past, now, future, what }
  }
  // Typing in one field is one act.
  if (act.what !== null && act.what === what) return { past, now: act.graph, future: [], what }
  return { past: [...past, now].slice(-PAST_MAX), now: act.graph, future: [], what: act.what }
}

export type History = {
  graph: Graph
  /** `what`: changes of the same thing in a row are taken back together. */
  change: (graph: Graph, what?: string) => void
  undo: () => void
  redo: () => void
  mayUndo: boolean
  mayRedo: boolean
}

export function useHistory(initial: Graph): History {
  const [{ past, now, future }, act] = useReducer(reduce, { past: [], now: initial, future: [], what: null })
  return {
    graph: now,
    change: useCallback((graph, what) => act({ kind: 'change', graph, what: what ?? null }), []),
    undo: useCallback(() => act({ kind: 'undo' }), []),
    redo: useCallback(() => act({ kind: 'redo' }), []),
    mayUndo: past.length > 0,
    mayRedo: future.length > 0,
  }
}
