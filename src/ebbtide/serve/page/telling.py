"""Tell the mind something, as a turn of a conversation, and see what became of it."""

from collections.abc import Mapping

from ebbtide.core.draft import MAX_TEXT
from ebbtide.mind.conversation import ROLES
from ebbtide.serve.page import texts
from ebbtide.serve.page.controls import choice, form, submit
from ebbtide.serve.page.frame import Page
from ebbtide.serve.page.parts import box, card, text

texts.add(
    {
        "console.tell_it": ("Tell it something", "讲给它听"),
        "console.tell": ("Tell", "告诉它"),
        "console.tell_how": (
            "A turn of a conversation. It waits in the queue, is divided into segments, and becomes memories.",
            "对话中的一段话。它先进入队列，再分成片段，成为记忆。",
        ),
        "console.said": ("What was said", "说了什么"),
        "console.role": ("Said by", "说话者"),
        "role.user": ("user", "用户"),
        "role.assistant": ("assistant", "助手"),
        "role.system": ("system", "系统"),
        "console.told": ("Remembered: {n} new memories.", "已记住：新增 {n} 条记忆。"),
        "console.told_one": ("Remembered: 1 new memory.", "已记住：新增 1 条记忆。"),
        "console.set_aside": ("Task {task} was set aside: {error}", "任务 {task} 已搁置：{error}"),
    }
)  # fmt: skip


class Tell:
    """A form for one message; the answer says how many memories it became."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def start(self) -> None:
        page = self.page
        with card(), box(tag="details"):
            text(page.t("console.tell_it"), tag="summary")
            with form(self._tell, "ask"):
                text(page.t("console.tell_how"), "soft", "p")
                with box(tag="label"):
                    text(page.t("console.said"))
                    box("box", "textarea").props(f"name=content rows=4 required maxlength={MAX_TEXT}")
                with box("fields"):
                    choice(page.t("console.role"), "role", {role: page.t(f"role.{role}") for role in ROLES}, "user")
                with box("row-of"):
                    submit(page.t("console.tell"), "forum")
            self.answer = box("stack").props("aria-live=polite")

    async def _tell(self, given: Mapping[str, list[str]]) -> None:
        message = {name: (given.get(name) or [""])[0] for name in ("role", "content")}
        with self.page.attempt():
            async with self.page.mind() as mind:
                before = (await mind.stats()).store.memories
                task = await mind.remember([message])
                await mind.idle()
                new = (await mind.stats()).store.memories - before
                failed = next((left.error for left in await mind.queue() if left.id == task), None)
            self._show(task, new, failed)

    def _show(self, task: int, new: int, failed: str | None) -> None:
        page = self.page
        told = page.t("console.told_one") if new == 1 else page.t("console.told", n=new)
        self.answer.clear()
        with self.answer:
            text(page.t("console.set_aside", task=task, error=failed) if failed else told, "text", "p")
