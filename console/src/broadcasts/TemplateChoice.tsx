import { Select } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useAllRows } from '../api/queries'
import { useMay } from '../session/me'
import { DRAFT_TEXTS as TEXTS } from '../texts/broadcasts'

type TemplateChoiceProps = {
  /** The template that a link names, which is chosen at once. */
  firstId: string | null
  onChoose: (template: RecordOf<'/templates/{template_id}'>) => void
}

/** Begins a broadcast with what a template says. It is a copy: the template can change without it. */
export function TemplateChoice({ firstId, onChoose }: TemplateChoiceProps) {
  const may = useMay()
  const { rows } = useAllRows('/templates', { isEnabled: may('templates:read') })
  const [chosen, setChosen] = useState<string | null>(firstId)
  const read = useAct({
    run: (id: string) => answer(api.GET('/templates/{template_id}', { params: { path: { template_id: id } } })),
    changes: [],
    onDone: onChoose,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    if (firstId !== null) read.mutate(firstId)
  }, [])
  if (rows.length === 0) return null
  return (
    <Select
      label={TEXTS.template}
      description={TEXTS.templateHint}
      data={rows.map(({ id, name }) => ({ value: id, label: name }))}
      searchable
      maw={480}
      disabled={read.isPending}
      value={chosen}
      onChange={(id) => {
        setChosen(id)
        if (id !== null) read.mutate(id)
      }}
    />
  )
}
