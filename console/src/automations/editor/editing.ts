// The steps that someone builds on a page, and how they are saved.
import { type RefObject, useRef } from 'react'
import { useAct } from '../../api/acts'
import { notifyDone } from '../../parts/notices'
import { useGo } from '../../shell/address'
import type { Graph } from '../graph'
import { type History, useHistory } from './history'

export type Editing = {
  initial: Graph
  history: History
  onSave: (graph: Graph) => void
  /** What the API refused, until something is changed. */
  error: Error | null
  isBusy: boolean
  /** Nothing is lost then when the page is left. */
  isSaved: RefObject<boolean>
}

type EditingOptions = {
  initial: Graph
  /** Answers the id of the automation, or null if it was not saved and something else is asked first. */
  save: (graph: Graph) => Promise<string | null>
  done: string
}

export function useEditing({ initial, save, done }: EditingOptions): Editing {
  const go = useGo()
  const history = useHistory(initial)
  const isSaved = useRef(false)
  const act = useAct<Graph, string | null>({
    run: save,
    changes: ['automations'],
    isSilent: true,
    onDone: (id) => {
      if (id === null) return
      isSaved.current = true
      notifyDone(done)
      go(`/automations/${id}`)
    },
  })
  const change: History['change'] = (graph, what) => {
    if (act.isError) act.reset()
    history.change(graph, what)
  }
  return { initial, history: { ...history, change }, onSave: act.mutate, error: act.error, isBusy: act.isPending, isSaved }
}
