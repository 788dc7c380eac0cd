import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RowOf } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { FormDialog } from '../parts/FormDialog'
import { PageLink } from '../parts/PageLink'
import { MEMBER_TEXTS as TEXTS } from '../texts/members'
import { type Role, RoleField } from './RoleField'

type Member = RowOf<'/members'>
type KeyLeft = { id: string; name: string }

/** `onKeysLeft`: is told the API keys that someone who was removed had made, if there are any. */
export function MemberActs({ member, onKeysLeft }: { member: Member; onKeysLeft: (keys: KeyLeft[]) => void }) {
  const path = { member_id: member.id }
  const remove = useAct({
    run: () => answer(api.DELETE('/members/{member_id}', { params: { path } })),
    done: TEXTS.removed,
    changes: ['members'],
    onDone: ({ api_keys }) => onKeysLeft(api_keys),
  })
  return (
    <Group gap="xs">
      <ChangeRole member={member} />
      <ConfirmButton
        name={TEXTS.removeShort}
        act={TEXTS.remove}
        size="compact-sm"
        question={
          <List spacing={4}>
            {TEXTS.removeMeans(member.name || member.email).map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
        }
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
      />
    </Group>
  )
}

function ChangeRole({ member: { id, name, email, role } }: { member: Member }) {
  const [isOpen, dialog] = useDisclosure()
  const form = useForm<{ role: Role }>({ initialValues: { role } })
  const change = useAct({
    run: (body: { role: Role }) => answer(api.PATCH('/members/{member_id}', { params: { path: { member_id: id } }, body })),
    done: TEXTS.changed,
    changes: ['members'],
    isSilent: true,
    onDone: dialog.close,
  })
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={dialog.open}>
        {TEXTS.changeRole}
      </Button>
      <FormDialog
        title={TEXTS.changeRole}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={change.mutate}
        error={change.error}
        isBusy={change.isPending}
      >
        <RoleField label={TEXTS.roleOf(name || email)} value={form.values.role} onChange={(chosen) => form.setFieldValue('role', chosen)} />
      </FormDialog>
    </>
  )
}

/** What a person who is gone may still have copied. */
export const KeysLeft = ({ keys, onClose }: { keys: readonly KeyLeft[]; onClose: () => void }) => (
  <Modal opened={keys.length > 0} onClose={onClose} title={TEXTS.keysLeft}>
    <Stack>
      <Text size="sm">{TEXTS.keysLeftHint}</Text>
      <List>
        {keys.map(({ id, name }) => (
          <List.Item key={id}>
            <bdi>{name || id}</bdi>
          </List.Item>
        ))}
      </List>
      <Group justify="space-between">
        <PageLink to="/api-keys">{TEXTS.toKeys}</PageLink>
        <Button onClick={onClose}>{TEXTS.close}</Button>
      </Group>
    </Stack>
  </Modal>
)
