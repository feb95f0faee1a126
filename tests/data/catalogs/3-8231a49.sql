BEGIN TRANSACTION;
CREATE TABLE abstract_uses (
	owner TEXT NOT NULL, 
	"key" BLOB NOT NULL, 
	PRIMARY KEY (owner, "key")
);
CREATE TABLE changes (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	kind TEXT NOT NULL, 
	document_id INTEGER, 
	uri TEXT NOT NULL, 
	target TEXT, 
	stamp BIGINT
);
INSERT INTO "changes" VALUES(1,'put',1,'viking://kb/loans',NULL,517212158064969690);
INSERT INTO "changes" VALUES(2,'put',2,'viking://kb/rooms/front',NULL,7936277754405137016);
INSERT INTO "changes" VALUES(3,'folder',NULL,'viking://kb/rooms',NULL,5700761135071187607);
INSERT INTO "changes" VALUES(4,'folder',NULL,'viking://kb',NULL,6613762311985914566);
INSERT INTO "changes" VALUES(5,'folder',NULL,'viking://',NULL,6222172722173010752);
INSERT INTO "changes" VALUES(6,'move',NULL,'viking://kb/rooms/front','viking://kb/desk/front',1461484986287506549);
INSERT INTO "changes" VALUES(7,'folder',NULL,'viking://kb/desk',NULL,1269989703197431354);
INSERT INTO "changes" VALUES(8,'folder',NULL,'viking://kb/rooms',NULL,26776175782877979);
INSERT INTO "changes" VALUES(9,'folder',NULL,'viking://kb',NULL,152472881627472434);
INSERT INTO "changes" VALUES(10,'folder',NULL,'viking://',NULL,6421751126493952367);
CREATE TABLE documents (
	id INTEGER NOT NULL, 
	uri TEXT NOT NULL, 
	folder TEXT NOT NULL, 
	file_name TEXT NOT NULL, 
	title TEXT NOT NULL, 
	format TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	content_hash TEXT NOT NULL, 
	recipe TEXT NOT NULL, 
	status TEXT NOT NULL, 
	size_bytes INTEGER NOT NULL, 
	page_begins JSON NOT NULL, 
	missing_pages JSON NOT NULL, 
	notes JSON NOT NULL, 
	updated_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (folder, file_name), 
	UNIQUE (uri)
);
INSERT INTO "documents" VALUES(1,'viking://kb/loans','viking://kb','loans.md','Loans','markdown',1,'ce1524a49810a1d592eb04eef6c36c42fe440ae8e80d9ac0677c41a23a386543','1:1000:96:240','ok',84,'[]','[]','[]','2026-12-01T14:44:38+00:00');
INSERT INTO "documents" VALUES(2,'viking://kb/desk/front','viking://kb/desk','front.md','Rooms','markdown',1,'532f15603d3545713fd9933c826d4f9a71ebd0b7b2f56f4bf7e7cfb0af8b025a','1:1000:96:240','ok',45,'[]','[]','[]','2026-12-01T14:44:38+00:00');
CREATE TABLE edges (
	episode_id INTEGER NOT NULL, 
	source_id INTEGER NOT NULL, 
	source_path TEXT NOT NULL, 
	target_id INTEGER NOT NULL, 
	target_path TEXT NOT NULL, 
	source_hash BLOB NOT NULL, 
	source_version INTEGER NOT NULL, 
	target_hash BLOB NOT NULL, 
	target_version INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	PRIMARY KEY (episode_id, source_id, source_path, target_id, target_path), 
	FOREIGN KEY(episode_id) REFERENCES episodes (id) ON DELETE CASCADE, 
	FOREIGN KEY(source_id) REFERENCES documents (id) ON DELETE CASCADE, 
	FOREIGN KEY(target_id) REFERENCES documents (id) ON DELETE CASCADE
);
CREATE TABLE episodes (
	id INTEGER NOT NULL, 
	trace_id TEXT NOT NULL, 
	question TEXT NOT NULL, 
	core TEXT NOT NULL, 
	vector_hash BLOB NOT NULL, 
	model TEXT NOT NULL, 
	summary TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	batch TEXT NOT NULL, 
	learner TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	labels JSON NOT NULL, 
	expires_at_s INTEGER, 
	state TEXT NOT NULL, 
	uses INTEGER NOT NULL, 
	helped INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (trace_id)
);
CREATE TABLE folders (
	uri TEXT NOT NULL, 
	text TEXT NOT NULL, 
	tokens INTEGER NOT NULL, 
	preview TEXT NOT NULL, 
	vector_hash BLOB NOT NULL, 
	PRIMARY KEY (uri)
);
INSERT INTO "folders" VALUES('viking://kb/desk','desk. Contains: front. Rooms. Sections: Rooms. Rooms are booked at the front desk.',22,'desk. Contains: front. Rooms. Sections: Rooms. Rooms are booked at the front desk.',X'48CFC11C2160E9DA0BE292D4C3B7396D4E21BE61B123DE7379F633EDA5E4AF45');
INSERT INTO "folders" VALUES('viking://kb','kb. Contains: loans; desk. Loans. Sections: Loans. A loan lasts fourteen days. desk. Contains: front. Rooms.',32,'kb. Contains: loans; desk. Loans. Sections: Loans. A loan lasts fourteen days. desk. Contains: front. Rooms.',X'A33DCEC9EB663CEFC960C1C6EF4A0F44969D71CAF70238F42FE271EAC233CADE');
INSERT INTO "folders" VALUES('viking://','Contains: kb. kb. Contains: loans; desk. Loans.',16,'Contains: kb. kb. Contains: loans; desk. Loans.',X'79B5E1C422E52DECF010736E6061DE7C4E403FE13091747B559BC4D21BD30BFA');
CREATE TABLE labels (
	document_id INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	vector_hash BLOB NOT NULL, 
	PRIMARY KEY (document_id, ordinal), 
	FOREIGN KEY(document_id) REFERENCES documents (id) ON DELETE CASCADE
);
INSERT INTO "labels" VALUES(1,0,'loans',X'BE9AA7494D82BFE5FBEE0AAF1131F1DF313BE491E1FECB7ABA9DBBF41A0D1BD4');
INSERT INTO "labels" VALUES(2,0,'front',X'2D8D693177AC44895FC02C009EC3F6AF32E51EB00783C17000D7051D1662B93A');
INSERT INTO "labels" VALUES(2,1,'Rooms',X'BD32F6CEDB5FB7AE9CA306B5655720B565A5C63C43353E1E18E4DF8CA6C972EA');
CREATE TABLE meta (
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('schema','1');
INSERT INTO "meta" VALUES('embedder','hash:8 (8 wide)');
CREATE TABLE model_abstracts (
	"key" BLOB NOT NULL, 
	model TEXT NOT NULL, 
	prompt TEXT NOT NULL, 
	text TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	tokens INTEGER NOT NULL, 
	PRIMARY KEY ("key", model, prompt)
);
CREATE TABLE objects (
	document_id INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	section INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	path TEXT NOT NULL, 
	begin_byte INTEGER NOT NULL, 
	end_byte INTEGER NOT NULL, 
	begin_line INTEGER NOT NULL, 
	end_line INTEGER NOT NULL, 
	tokens INTEGER NOT NULL, 
	header TEXT NOT NULL, 
	preview TEXT NOT NULL, 
	text TEXT, 
	vector_hash BLOB NOT NULL, 
	PRIMARY KEY (document_id, ordinal), 
	FOREIGN KEY(document_id) REFERENCES documents (id) ON DELETE CASCADE
);
INSERT INTO "objects" VALUES(1,0,0,'abstract','.abstract.md',0,84,1,7,24,'','Loans. Sections: Loans. A loan lasts fourteen days. A late fee of two crowns is charged.','Loans. Sections: Loans. A loan lasts fourteen days. A late fee of two crowns is charged.',X'A73C83B5744532B545AAF394BB0AE17683C69C7379A82480024F209BD2B72A90');
INSERT INTO "objects" VALUES(1,1,1,'abstract','Loans/.abstract.md',0,84,1,7,24,'','Loans. Sections: Fees. A loan lasts fourteen days. A late fee of two crowns is charged.','Loans. Sections: Fees. A loan lasts fourteen days. A late fee of two crowns is charged.',X'A081C5B856FE67B52A093D76E2E93AB8C2F014AFD88BE85B91013F4F5D65C859');
INSERT INTO "objects" VALUES(1,2,1,'chunk','Loans/Loans_1.md',0,38,1,3,9,'','A loan lasts fourteen days.',NULL,X'99DB9F3D613809B54D13D9E9C45500932E15C56171CBDA147DD6D7C97E00B1DD');
INSERT INTO "objects" VALUES(1,3,2,'abstract','Loans/Fees/.abstract.md',38,84,5,7,12,'','Fees. A late fee of two crowns is charged.','Fees. A late fee of two crowns is charged.',X'509D7EBBEE7B82F566A85976491F753AC901CE003F82E270EB2B273C6A545B9F');
INSERT INTO "objects" VALUES(1,4,2,'chunk','Loans/Fees/Fees_1.md',38,84,5,7,13,'','A late fee of two crowns is charged.',NULL,X'509D7EBBEE7B82F566A85976491F753AC901CE003F82E270EB2B273C6A545B9F');
INSERT INTO "objects" VALUES(2,0,0,'abstract','.abstract.md',0,45,1,3,15,'','Rooms. Sections: Rooms. Rooms are booked at the front desk.','Rooms. Sections: Rooms. Rooms are booked at the front desk.',X'EE0C3B2E0E5FBD4D8993C5F8A1E2684EDA1F363749173A0176C301FFC7B4B381');
INSERT INTO "objects" VALUES(2,1,1,'abstract','Rooms/.abstract.md',0,45,1,3,10,'','Rooms. Rooms are booked at the front desk.','Rooms. Rooms are booked at the front desk.',X'E2F9D1C02892C9E03EE0A1180B39313F2D70C9235F9D6466FFCF2C1B7FBB38D4');
INSERT INTO "objects" VALUES(2,2,1,'chunk','Rooms/Rooms_1.md',0,45,1,3,10,'','Rooms are booked at the front desk.',NULL,X'E2F9D1C02892C9E03EE0A1180B39313F2D70C9235F9D6466FFCF2C1B7FBB38D4');
CREATE TABLE sections (
	document_id INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	parent INTEGER, 
	level INTEGER NOT NULL, 
	title TEXT NOT NULL, 
	path TEXT NOT NULL, 
	begin_byte INTEGER NOT NULL, 
	body_byte INTEGER NOT NULL, 
	end_byte INTEGER NOT NULL, 
	begin_line INTEGER NOT NULL, 
	end_line INTEGER NOT NULL, 
	PRIMARY KEY (document_id, ordinal), 
	FOREIGN KEY(document_id) REFERENCES documents (id) ON DELETE CASCADE
);
INSERT INTO "sections" VALUES(1,0,NULL,0,'Loans','',0,0,84,1,7);
INSERT INTO "sections" VALUES(1,1,0,1,'Loans','Loans',0,8,84,1,7);
INSERT INTO "sections" VALUES(1,2,1,2,'Fees','Loans/Fees',38,46,84,5,7);
INSERT INTO "sections" VALUES(2,0,NULL,0,'Rooms','',0,0,45,1,3);
INSERT INTO "sections" VALUES(2,1,0,1,'Rooms','Rooms',0,8,45,1,3);
CREATE TABLE source_folders (
	uri TEXT NOT NULL, 
	parent TEXT NOT NULL, 
	name TEXT NOT NULL, 
	same_name TEXT NOT NULL, 
	PRIMARY KEY (uri), 
	UNIQUE (parent, name)
);
INSERT INTO "source_folders" VALUES('viking://kb/rooms','viking://kb','rooms','rooms');
CREATE TABLE sources (
	document_id INTEGER NOT NULL, 
	folder TEXT NOT NULL, 
	name TEXT NOT NULL, 
	same_name TEXT NOT NULL, 
	path TEXT NOT NULL, 
	PRIMARY KEY (document_id), 
	FOREIGN KEY(document_id) REFERENCES documents (id) ON DELETE CASCADE
);
INSERT INTO "sources" VALUES(1,'viking://kb','loans.md','loans.md','/tmp/e_oldbase/docs/loans.md');
INSERT INTO "sources" VALUES(2,'viking://kb/desk','front.md','front.md','/tmp/e_oldbase/docs/rooms/front.md');
CREATE TABLE stale_folders (
	uri TEXT NOT NULL, 
	PRIMARY KEY (uri)
);
CREATE TABLE texts (
	document_id INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (document_id), 
	FOREIGN KEY(document_id) REFERENCES documents (id) ON DELETE CASCADE
);
INSERT INTO "texts" VALUES(1,'# Loans

A loan lasts fourteen days.

## Fees

A late fee of two crowns is charged.
');
INSERT INTO "texts" VALUES(2,'# Rooms

Rooms are booked at the front desk.
');
CREATE TABLE traces (
	id TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	question TEXT NOT NULL, 
	status TEXT NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "traces" VALUES('8d0b061b30314a38','2026-12-01T14:44:40.272+00:00','How much is a late fee?','answered','{"id": "8d0b061b30314a38", "question": "How much is a late fee?", "scope": "viking://", "policy": "ExtractivePolicy", "created_at": "2026-12-01T14:44:40.272+00:00", "resolution": {"scopes": [], "words": [], "wide": true, "core": "How much is a late fee?"}, "rounds": [{"number": 1, "calls": [{"id": "call_1_1", "tool": "Search", "arguments": {"query": "How much is a late fee?", "also": null, "scope": "viking://", "k": 10, "max_tokens": 2000}, "uris": ["viking://kb/loans/Loans/Fees/Fees_1.md", "viking://kb/loans/Loans/Loans_1.md", "viking://kb/desk/front/Rooms/Rooms_1.md"], "tokens": 122, "ms": 3543.116441998791, "error": "", "note": "", "text": "Search in viking://: 3 of 3 objects\nunder viking://kb/loans/\n[1] Loans/Fees/Fees_1.md (lines 5-7)\n> ## Fees\n> \n> A late fee of two crowns is charged.\n[2] Loans/Loans_1.md (lines 1-3)\n> # Loans\n> \n> A loan lasts fourteen days.\n[3] viking://kb/desk/front/Rooms/Rooms_1.md (lines 1-3)\n> # Rooms\n> \n> Rooms are booked at the front desk.", "edges": []}], "text": "", "decide_ms": 3.1509029995504534, "model": {"calls": 0, "prompt_tokens": 0, "cached_tokens": 0, "completion_tokens": 0, "estimated": 0, "cost": 0.0, "ms": 0.0}}, {"number": 2, "calls": [{"id": "call_2_1", "tool": "Grep", "arguments": {"pattern": "loans", "scope": "viking://", "literal": false, "ignore_case": true, "limit": 3, "offset": null}, "uris": ["viking://kb/loans/Loans/Loans_1.md"], "tokens": 30, "ms": 0.6841529993835138, "error": "", "note": "", "text": "Grep in viking://: 1 matches\nviking://kb/loans/Loans/Loans_1.md:1\n> # Loans", "edges": []}], "text": "", "decide_ms": 11.084612999184174, "model": {"calls": 0, "prompt_tokens": 0, "cached_tokens": 0, "completion_tokens": 0, "estimated": 0, "cost": 0.0, "ms": 0.0}}, {"number": 3, "calls": [], "text": "best 3.09, words in common 0.67, nowhere: -", "decide_ms": 2868.941796001309, "model": {"calls": 0, "prompt_tokens": 0, "cached_tokens": 0, "completion_tokens": 0, "estimated": 0, "cost": 0.0, "ms": 0.0}}], "status": "answered", "text": "A late fee of two crowns is charged.", "citations": [{"uri": "viking://kb/loans/Loans/Fees/Fees_1.md", "text": "A late fee of two crowns is charged.", "lines": [7, 7], "pages": null, "document": "viking://kb/loans"}], "dropped": [], "usage": {"tokens_by_tool": {"Search": 122, "Grep": 30}, "calls": {"Search": 1, "Grep": 1}, "ms": {"resolve": 17.65603599960741, "decide": 2883.1773120000435, "Search": 3543.116441998791, "Grep": 0.6841529993835138, "cite": 0.30025299929548055}, "model": {"calls": 0, "prompt_tokens": 0, "cached_tokens": 0, "completion_tokens": 0, "estimated": 0, "cost": 0.0, "ms": 0.0}}, "spent": "", "mode": "vikingrag", "checks": [], "versions": {"viking://kb/loans": 1, "viking://kb/desk/front": 1}, "chat_model": "", "schema": 2}');
CREATE TABLE vectors (
	hash BLOB NOT NULL, 
	model TEXT NOT NULL, 
	vector BLOB NOT NULL, 
	PRIMARY KEY (hash, model)
);
INSERT INTO "vectors" VALUES(X'BE9AA7494D82BFE5FBEE0AAF1131F1DF313BE491E1FECB7ABA9DBBF41A0D1BD4','hash:8',X'23F6A3BE2E253C3F5237F2BDEE5C82BC9ECDF8BE80F4933E1CB21B3E2C258EBC');
INSERT INTO "vectors" VALUES(X'A73C83B5744532B545AAF394BB0AE17683C69C7379A82480024F209BD2B72A90','hash:8',X'675F75BE85A18E3D1DA6423E232ED43E50FB9ABED047953E4D5CC5BE1CD8223F');
INSERT INTO "vectors" VALUES(X'A081C5B856FE67B52A093D76E2E93AB8C2F014AFD88BE85B91013F4F5D65C859','hash:8',X'BF6C08BE6237C83D9BB1873E14B3C23EC70885BE1C2DC93E3D82CABED4B41D3F');
INSERT INTO "vectors" VALUES(X'99DB9F3D613809B54D13D9E9C45500932E15C56171CBDA147DD6D7C97E00B1DD','hash:8',X'09C9EA3C92D0023EBE450ABD1351703EA67E2EBFD6630A3F3A99E8BD2ECFCA3E');
INSERT INTO "vectors" VALUES(X'509D7EBBEE7B82F566A85976491F753AC901CE003F82E270EB2B273C6A545B9F','hash:8',X'A66D0FBFF7BA533E4B60D83E1170013F0F5472BEBF17193E140AA6BE2EC6233E');
INSERT INTO "vectors" VALUES(X'2D8D693177AC44895FC02C009EC3F6AF32E51EB00783C17000D7051D1662B93A','hash:8',X'3FA6CBBCFB39A63E9E71043F5FC72EBF1E50BEBEC84A54BDB9EC9EBD3768EC3D');
INSERT INTO "vectors" VALUES(X'BD32F6CEDB5FB7AE9CA306B5655720B565A5C63C43353E1E18E4DF8CA6C972EA','hash:8',X'11B18A3E08053E3FD4B0A5BE32D576BE23D7B3BDFAF123BE4E57D03E458EF13D');
INSERT INTO "vectors" VALUES(X'EE0C3B2E0E5FBD4D8993C5F8A1E2684EDA1F363749173A0176C301FFC7B4B381','hash:8',X'CEF59F3C78E71E3E043F89BECEEEEA3DCA02113F73D6823DC49F7BBE1DF5353F');
INSERT INTO "vectors" VALUES(X'E2F9D1C02892C9E03EE0A1180B39313F2D70C9235F9D6466FFCF2C1B7FBB38D4','hash:8',X'2300A13E9459263F30F0D9BE08C577BD54987DBE66FCA1BECFE5AD3ED875063E');
INSERT INTO "vectors" VALUES(X'48CFC11C2160E9DA0BE292D4C3B7396D4E21BE61B123DE7379F633EDA5E4AF45','hash:8',X'449A193E7D77B0BD213E00BF67B5E03E4C9A293F2F249BBD0EEE69BE815A303E');
INSERT INTO "vectors" VALUES(X'A33DCEC9EB663CEFC960C1C6EF4A0F44969D71CAF70238F42FE271EAC233CADE','hash:8',X'1AC49C3ECD94B9BE7D23F9BEF097E83EA9ABA63E419F923DBF1866BE8C2FD33E');
INSERT INTO "vectors" VALUES(X'79B5E1C422E52DECF010736E6061DE7C4E403FE13091747B559BC4D21BD30BFA','hash:8',X'4FE71C3F47F7EFBEE12CA7BE089D8A3EBDFEA63ED717373B31B2A2BC8FDFAF3E');
CREATE INDEX source_folders_by_name ON source_folders (parent, same_name);
CREATE INDEX traces_by_time ON traces (created_at);
CREATE INDEX ix_abstract_uses_key ON abstract_uses ("key");
CREATE INDEX ix_episodes_vector_hash ON episodes (vector_hash);
CREATE INDEX ix_episodes_created_at ON episodes (created_at);
CREATE INDEX ix_episodes_batch ON episodes (batch);
CREATE INDEX ix_sources_path ON sources (path);
CREATE INDEX sources_by_name ON sources (folder, same_name);
CREATE INDEX objects_by_vector ON objects (vector_hash);
CREATE INDEX ix_labels_vector_hash ON labels (vector_hash);
CREATE INDEX edges_by_source ON edges (source_id, source_path);
CREATE INDEX edges_by_target ON edges (target_id, target_path);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('changes',10);
COMMIT;
