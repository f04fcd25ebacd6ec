// Where browsers have workers, on localhost and over HTTPS: in place of a page that the server does not answer they show
// the one that says so, which has what is kept (kept.js). That one and its files are all that is stored here: no other
// page and no part of one, so none is shown for another, or for a new one. A new version has a new worker.
"use strict";
const SHELL = "/kept", OURS = "rollwise-", NAME = OURS + self.location.search;
const GONE = [502, 504]; // what a proxy says of a server that does not answer

self.addEventListener("install", (event) => event.waitUntil((async () => {
  const page = await (await fetch(SHELL, { cache: "no-store" })).text();
  const cache = await caches.open(NAME);
  await cache.addAll([SHELL, ...new Set(page.match(/\/static\/[^"]+/g))]);
  await self.skipWaiting();
})()));
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith(OURS) && name !== NAME) await caches.delete(name);
  if (self.registration.navigationPreload) await self.registration.navigationPreload.enable();
  await self.clients.claim();
})()));

const page = async ({ preloadResponse, request }) => {
  try { // asked by the browser and not from here: so the server is told by whom, be it a page of another site
    const answer = (await preloadResponse) || (await fetch(request));
    if (!GONE.includes(answer.status)) return answer;
  } catch { /* it does not answer */ }
  return (await caches.match(SHELL)) || Response.error();
};
self.addEventListener("fetch", (event) => {
  const { request } = event, { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (pathname.startsWith("/static/")) event.respondWith(caches.match(request).then((file) => file || fetch(request)));
});
