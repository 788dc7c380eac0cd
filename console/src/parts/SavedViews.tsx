import { Alert, Button, Group, Menu, Switch, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { Bookmark } from 'lucide-react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RowOf, useRecord } from '../api/queries'
import { SAVED_VIEW_TEXTS as TEXTS } from '../texts/saved-views'
import { ConfirmButton } from './ConfirmButton'
import { Dimmed } from './DataList'
import { useDialogForm } from './dialog-form'
import { FormDialog } from './FormDialog'

export type SavedView = RowOf<'/saved-views'>
type Values = Readonly<Record<string, string | undefined>>

type Named = { name: string; is_shared: boolean }

type SavedViewsProps = {
  /** The page that they are views of: `emails`. */
  page: string
  values: Values
  onOpen: (values: Record<string, string>) => void
}

const NAME_LENGTH_MAX = 100

/** A key that is equal for equal filters, in whatever order they were chosen. */
const queryOf = (values: Values): string =>
  new URLSearchParams(
    Object.entries(values)
      .filter((entry): entry is [string, string] => Boolean(entry[1]))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  ).toString()

const valuesOf = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query))

/** Lists that were saved with their filters: opened, saved under a name, shared with the team, renamed and deleted. */
export function SavedViews({ page, values, onOpen }: SavedViewsProps) {
  const { data } = useRecord('/saved-views')
  const [isSaving, saving] = useDisclosure()
  const [isChanging, changing] = useDisclosure()
  const views = (data?.data ?? []).filter((view) => view.page === page)
  const query = queryOf(values)
  const opened = views.find((view) => queryOf(valuesOf(view.query)) === query) ?? null
  const own = views.filter(({ is_own }) => is_own)
  const shared = views.filter(({ is_own }) => !is_own)
  const itemOf = (view: SavedView) => (
    <Menu.Item
      key={view.id}
      fw={view.id === opened?.id ? 700 : undefined}
      onClick={() => onOpen(valuesOf(view.query))}
      {...(!view.is_own && { rightSection: <Dimmed>{TEXTS.shared}</Dimmed> })}
    >
      <bdi>{view.name}</bdi>
    </Menu.Item>
  )
  return (
    <>
      <Menu position="bottom-start" width={280} withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" size="xs" h={30} leftSection={<Bookmark size={14} />}>
            <Text span inherit truncate maw={160}>
              {opened?.name ?? TEXTS.menu}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
          {views.length === 0 && <Menu.Item disabled>{TEXTS.empty}</Menu.Item>}
          {own.map(itemOf)}
          {shared.map(itemOf)}
          <Menu.Divider role="separator" />
          <Menu.Item onClick={saving.open} disabled={query === '' || opened !== null}>
            {TEXTS.save}
          </Menu.Item>
          {opened?.is_own && <Menu.Item onClick={changing.open}>{TEXTS.change}</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {isSaving && <SaveDialog page={page} query={query} onClose={saving.close} />}
      {isChanging && opened && <ChangeDialog view={opened} onClose={changing.close} />}
    </>
  )
}

function SaveDialog({ page, query, onClose }: { page: string; query: string; onClose: () => void }) {
  const save = useDialogForm({
    initialValues: { name: '', is_shared: false },
    run: (given: Named) => answer(api.POST('/saved-views', { body: { ...given, page, query } })),
    done: TEXTS.saved,
    changes: ['saved-views'],
    onDone: onClose,
  })
  return (
    <FormDialog title={TEXTS.saveTitle} {...save.dialog} isOpen onClose={onClose}>
      <Fields form={save.form} />
    </FormDialog>
  )
}

function ChangeDialog({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const path = { saved_view_id: view.id }
  const change = useDialogForm({
    initialValues: { name: view.name, is_shared: view.is_shared },
    run: (given: Named) => answer(api.PATCH('/saved-views/{saved_view_id}', { params: { path }, body: given })),
    done: TEXTS.changed,
    changes: ['saved-views'],
    onDone: onClose,
  })
  const remove = useAct({
    run: () => answer(api.DELETE('/saved-views/{saved_view_id}', { params: { path } })),
    done: TEXTS.removed,
    changes: ['saved-views'],
    onDone: onClose,
  })
  return (
    <FormDialog title={TEXTS.changeTitle} {...change.dialog} isOpen onClose={onClose}>
      <Fields form={change.form} />
      {view.is_shared && <Alert color="gray">{TEXTS.isShared}</Alert>}
      <Group>
        <ConfirmButton
          name={TEXTS.remove}
          question={TEXTS.removeQuestion(view.name)}
          onConfirm={() => remove.mutate()}
          isBusy={remove.isPending}
        />
      </Group>
    </FormDialog>
  )
}

const Fields = ({ form }: { form: UseFormReturnType<Named> }) => (
  <>
    <TextInput label={TEXTS.name} required maxLength={NAME_LENGTH_MAX} data-autofocus {...form.getInputProps('name')} />
    <Switch label={TEXTS.share} description={TEXTS.shareHint} {...form.getInputProps('is_shared', { type: 'checkbox' })} />
  </>
)
