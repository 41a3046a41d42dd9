/** A photograph from the camera of a computer, in a dialog. */

import { h } from "./dom.mjs";

const WISHES = { video: { facingMode: "environment", width: { ideal: 3840 }, height: { ideal: 2160 } }, audio: false };

/** @returns {Promise<File|null>} null where the person thinks better of it or there is no camera */
export async function takePhoto({ host, t, notices }) {
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia(WISHES);
  } catch (error) {
    notices.show({
      topic: "door",
      kind: "bad",
      words: t("no_camera"),
      hint: t("no_camera_hint", { reason: error.name }),
    });
    return null;
  }
  try {
    return await askForShot(host, t, stream);
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

function askForShot(host, t, stream) {
  const video = h("video", { autoplay: true, playsinline: true, muted: true });
  video.srcObject = stream;
  const shoot = h("button", { type: "button", class: "vw-button primary", autofocus: true }, t("capture"));
  const cancel = h("button", { type: "button", class: "vw-button" }, t("cancel"));
  const buttons = h("div", { class: "vw-group end" }, cancel, shoot);
  const dialog = h("dialog", { class: "vw-dialog vw-photo", "aria-label": t("take_photo") }, video, buttons);
  host.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    shoot.addEventListener("click", async () => {
      const file = await frameOf(video);
      resolve(file);
      dialog.close();
    });
    cancel.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(null);
    });
  });
}

async function frameOf(video) {
  const canvas = h("canvas", { width: video.videoWidth, height: video.videoHeight });
  canvas.getContext("2d").drawImage(video, 0, 0);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.95));
  return new File([blob], `photo-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.jpg`, {
    type: blob.type,
  });
}
